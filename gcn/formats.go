package gcn

import "github.com/gcnsim/gcnsim/internal/isa"

// Codes of data formats, BUF_DATA_FORMAT and IMG_DATA_FORMAT. A name lists the widths of the components from the
// highest bit. The codes up to Data32_32_32_32 are valid for buffers.
const ( //nolint:revive // underscores keep the widths apart
	DataInvalid     = isa.DataInvalid
	Data8           = isa.Data8
	Data16          = isa.Data16
	Data8_8         = isa.Data8_8
	Data32          = isa.Data32
	Data16_16       = isa.Data16_16
	Data10_11_11    = isa.Data10_11_11
	Data11_11_10    = isa.Data11_11_10
	Data10_10_10_2  = isa.Data10_10_10_2
	Data2_10_10_10  = isa.Data2_10_10_10
	Data8_8_8_8     = isa.Data8_8_8_8
	Data32_32       = isa.Data32_32
	Data16_16_16_16 = isa.Data16_16_16_16
	Data32_32_32    = isa.Data32_32_32
	Data32_32_32_32 = isa.Data32_32_32_32
	Data5_6_5       = isa.Data5_6_5
	Data1_5_5_5     = isa.Data1_5_5_5
	Data5_5_5_1     = isa.Data5_5_5_1
	Data4_4_4_4     = isa.Data4_4_4_4
	Data8_24        = isa.Data8_24
	Data24_8        = isa.Data24_8
	DataX24_8_32    = isa.DataX24_8_32
	DataGB_GR       = isa.DataGB_GR
	DataBG_RG       = isa.DataBG_RG
	Data5_9_9_9     = isa.Data5_9_9_9
	DataBC1         = isa.DataBC1
	DataBC2         = isa.DataBC2
	DataBC3         = isa.DataBC3
	DataBC4         = isa.DataBC4
	DataBC5         = isa.DataBC5
	DataBC6         = isa.DataBC6
	DataBC7         = isa.DataBC7
	Data4_4         = isa.Data4_4
	Data6_5_5       = isa.Data6_5_5
)

// Codes of data formats that GCN 1.4 lacks.
const ( //nolint:revive // underscores keep the widths apart
	Data1          = isa.Data1
	Data1_REVERSED = isa.Data1_REVERSED
)

// Codes of ETC2 formats, which GCN 1.4 and gfx810 support. Other processors reserve them.
const ( //nolint:revive // underscores keep the widths apart
	DataETC2_RGB   = isa.DataETC2_RGB
	DataETC2_RGBA  = isa.DataETC2_RGBA
	DataETC2_R     = isa.DataETC2_R
	DataETC2_RG    = isa.DataETC2_RG
	DataETC2_RGBA1 = isa.DataETC2_RGBA1
)

// Codes of number formats, BUF_NUM_FORMAT and IMG_NUM_FORMAT. Those from NumSRGB on are for images only.
const ( //nolint:revive // underscores keep the widths apart
	NumUNORM      = isa.NumUNORM
	NumSNORM      = isa.NumSNORM
	NumUSCALED    = isa.NumUSCALED
	NumSSCALED    = isa.NumSSCALED
	NumUINT       = isa.NumUINT
	NumSINT       = isa.NumSINT
	NumSNORM_OGL  = isa.NumSNORM_OGL
	NumFLOAT      = isa.NumFLOAT
	NumSRGB       = isa.NumSRGB
	NumUBNORM     = isa.NumUBNORM
	NumUBNORM_OGL = isa.NumUBNORM_OGL
	NumUBINT      = isa.NumUBINT
	NumUBSCALED   = isa.NumUBSCALED
)

// DataFormatName returns the name of a data format code without prefix, for example "8_8_8_8", or "" if the code is
// reserved. Codes from 16 on are the image formats before GCN 1.4.
func DataFormatName(code uint8) string { return isa.DataFormatName(code) }

// NumFormatName returns the name of a number format code without prefix, for example "UNORM", or "" if the code is
// reserved.
func NumFormatName(code uint8) string { return isa.NumFormatName(code) }
