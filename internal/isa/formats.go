package isa

// Prefixes in the names of buffer formats (rules DP12 and DP13).
const (
	DataFormatPrefix = "BUF_DATA_FORMAT_"
	NumFormatPrefix  = "BUF_NUM_FORMAT_"
)

// Codes of data formats, BUF_DATA_FORMAT and IMG_DATA_FORMAT. A name lists the widths of the components from the
// highest bit. The codes up to Data32_32_32_32 are valid for buffers.
const ( //nolint:revive // underscores keep the widths apart
	DataInvalid     = 0
	Data8           = 1
	Data16          = 2
	Data8_8         = 3
	Data32          = 4
	Data16_16       = 5
	Data10_11_11    = 6
	Data11_11_10    = 7
	Data10_10_10_2  = 8
	Data2_10_10_10  = 9
	Data8_8_8_8     = 10
	Data32_32       = 11
	Data16_16_16_16 = 12
	Data32_32_32    = 13
	Data32_32_32_32 = 14
	Data5_6_5       = 16
	Data1_5_5_5     = 17
	Data5_5_5_1     = 18
	Data4_4_4_4     = 19
	Data8_24        = 20
	Data24_8        = 21
	DataX24_8_32    = 22
	DataGB_GR       = 32
	DataBG_RG       = 33
	Data5_9_9_9     = 34
	DataBC1         = 35
	DataBC2         = 36
	DataBC3         = 37
	DataBC4         = 38
	DataBC5         = 39
	DataBC6         = 40
	DataBC7         = 41
	Data4_4         = 57
	Data6_5_5       = 58
)

// Codes of data formats that GCN 1.4 lacks: it has [DataFMASK] with a number format for each FMASK.
const ( //nolint:revive // as above
	DataFMASK8_S2_F1   = 44
	DataFMASK8_S4_F1   = 45
	DataFMASK8_S8_F1   = 46
	DataFMASK8_S2_F2   = 47
	DataFMASK8_S4_F2   = 48
	DataFMASK8_S4_F4   = 49
	DataFMASK16_S16_F1 = 50
	DataFMASK16_S8_F2  = 51
	DataFMASK32_S16_F2 = 52
	DataFMASK32_S8_F4  = 53
	DataFMASK32_S8_F8  = 54
	DataFMASK64_S16_F4 = 55
	DataFMASK64_S16_F8 = 56
	Data1              = 59
	Data1_REVERSED     = 60
)

// Codes of ETC2 on generations with [Traits.ETC2]; other processors reserve them.
const ( //nolint:revive // as above
	DataETC2_RGB   = 24
	DataETC2_RGBA  = 25
	DataETC2_R     = 26
	DataETC2_RG    = 27
	DataETC2_RGBA1 = 28
)

// DataFMASK is the code of FMASK on GCN 1.4; number formats 0 to 12 are the FMASK formats
// from [DataFMASK8_S2_F1] on.
const DataFMASK = 45

// Codes of number formats, BUF_NUM_FORMAT and IMG_NUM_FORMAT. Those from NumSRGB on are for images only.
const ( //nolint:revive // as above
	NumUNORM      = 0
	NumSNORM      = 1
	NumUSCALED    = 2
	NumSSCALED    = 3
	NumUINT       = 4
	NumSINT       = 5
	NumSNORM_OGL  = 6
	NumFLOAT      = 7
	NumSRGB       = 9
	NumUBNORM     = 10
	NumUBNORM_OGL = 11
	NumUBINT      = 12
	NumUBSCALED   = 13
)

// numFormats names the number formats by code. Source: CLRX GcnMemHandling.
var numFormats = [...]string{
	NumUNORM: "UNORM", NumSNORM: "SNORM", NumUSCALED: "USCALED", NumSSCALED: "SSCALED", NumUINT: "UINT",
	NumSINT: "SINT", NumSNORM_OGL: "SNORM_OGL",
	NumFLOAT: "FLOAT", NumSRGB: "SRGB", NumUBNORM: "UBNORM", NumUBNORM_OGL: "UBNORM_OGL", NumUBINT: "UBINT",
	NumUBSCALED: "UBSCALED",
}

// DataFormatName returns the name of a data format code without prefix, for example "8_8_8_8", or "" if the code is
// reserved. Codes from 16 on are the image formats before GCN 1.4; see [ImageFormatOf].
func DataFormatName(code uint8) string {
	if int(code) < len(imageFormats) {
		return imageFormats[code].Name
	}
	return ""
}

// NumFormatName returns the name of a number format code without prefix, for example "UNORM", or "" if the code is
// reserved.
func NumFormatName(code uint8) string {
	if int(code) < len(numFormats) {
		return numFormats[code]
	}
	return ""
}
