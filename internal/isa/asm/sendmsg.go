package asm

import (
	"slices"
	"strconv"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/isa"
)

// message describes a message of S_SENDMSG, with its operations and the first generation that
// has it.
type message struct {
	names  [numSyntaxes]string
	since  gcn.Gen
	ops    []string // by operation number; nil if it has no operations
	stream bool     // operations other than 0 have a stream
	none   bool     // operation 0 is allowed
}

func gsOps() []string { return []string{"GS_OP_NOP", "GS_OP_CUT", "GS_OP_EMIT", "GS_OP_EMIT_CUT"} }

func sysOps() []string {
	return []string{1: "SYSMSG_OP_ECC_ERR_INTERRUPT", 2: "SYSMSG_OP_REG_RD", 3: hostTrapAck, 4: "SYSMSG_OP_TTRACE_PC"}
}

// messages has the messages by number. Source: AMD GCN ISA manuals, S_SENDMSG.
var messages = [16]message{
	1:  {names: [...]string{"MSG_INTERRUPT", "interrupt"}},
	2:  {names: [...]string{"MSG_GS", "gs"}, ops: gsOps(), stream: true},
	3:  {names: [...]string{"MSG_GS_DONE", "gs_done"}, ops: gsOps(), stream: true, none: true},
	4:  {names: [...]string{"MSG_SAVEWAVE", "savewave"}, since: gcn.GCN12},
	5:  {names: [...]string{"MSG_STALL_WAVE_GEN", "stall_wave_gen"}, since: gcn.GCN14},
	6:  {names: [...]string{"MSG_HALT_WAVES", "halt_waves"}, since: gcn.GCN14},
	7:  {names: [...]string{"MSG_ORDERED_PS_DONE", "ordered_ps_done"}, since: gcn.GCN14},
	8:  {names: [...]string{"MSG_EARLY_PRIM_DEALLOC", "early_prim_dealloc"}, since: gcn.GCN14},
	9:  {names: [...]string{"MSG_GS_ALLOC_REQ", "gs_alloc_req"}, since: gcn.GCN14},
	10: {names: [...]string{"MSG_GET_DOORBELL", "get_doorbell"}, since: gcn.GCN14},
	15: {names: [...]string{"MSG_SYSMSG", "system"}, ops: sysOps()},
}

// messageName returns the name of message id on g, or "" if it has none. In CLRX syntax, messages 4 to 10 have
// names only from GCN 1.4 on, as in clrxdisasm.
func messageName(g gcn.Gen, id uint32, s Syntax) string {
	m := &messages[id]
	if m.since > g || s == CLRX && m.since > 0 && !isa.GenTraits(g).Apertures {
		return ""
	}
	return m.names[s]
}

// hostTrapAck is an operation that was removed in GCN 1.4.
const hostTrapAck = "SYSMSG_OP_HOST_TRAP_ACK"

// hasOp reports whether message m has operation op on g.
func (m *message) hasOp(op uint32, g gcn.Gen) bool {
	if m.ops == nil {
		return op == 0
	}
	return int(op) < len(m.ops) && m.ops[op] != "" && (op != 0 || m.none) && !(m.ops[op] == hostTrapAck && g >= gcn.GCN14)
}

func appendSendmsg(b []byte, in isa.Inst, p *part) []byte {
	g, v := in.Target.Gen(), in.Get(p.field)
	id, op, stream := v&15, v>>4&7, v>>8&3
	m := &messages[id]
	if name := messageName(g, id, LLVM); name != "" && m.hasOp(op, g) && (stream == 0 || m.stream && op != 0) {
		b = append(append(b, "sendmsg("...), name...)
		if m.ops != nil {
			b = append(append(b, ", "...), m.ops[op]...)
			if m.stream && op != 0 {
				b = strconv.AppendUint(append(b, ", "...), uint64(stream), 10)
			}
		}
		return append(b, ')')
	}
	if v != id|op<<4|stream<<8 {
		return strconv.AppendUint(b, uint64(v), 10)
	}
	b = strconv.AppendUint(append(b, "sendmsg("...), uint64(id), 10)
	b = strconv.AppendUint(append(b, ", "...), uint64(op), 10)
	b = strconv.AppendUint(append(b, ", "...), uint64(stream), 10)
	return append(b, ')')
}

var clrxGSOps = [4]string{"nop", "cut", "emit", "emit-cut"}

const msgGS, msgGSDone = 2, 3

func appendSendmsgCLRX(b []byte, in isa.Inst, p *part) []byte {
	v := in.Get(p.field)
	id, op, stream := v&15, v>>4&3, v>>8&3
	name := messageName(in.Target.Gen(), id, CLRX)
	b = append(b, "sendmsg("...)
	if name != "" {
		b = append(b, name...)
	} else {
		b = strconv.AppendUint(append(b, '@'), uint64(id), 10)
	}
	bad := uint32(0xfff0)
	if id&14 == 2 || name == "" && id >= 4 || v&0x3f0 != 0 {
		bad = 0xfcc0
		b = append(append(b, ", "...), clrxGSOps[op]...)
		if op != 0 || stream != 0 {
			b = strconv.AppendUint(append(b, ", "...), uint64(stream), 10)
		}
	}
	b = append(b, ')')
	if v&bad != 0 {
		b = appendHex(append(b, " :"...), uint64(v))
	}
	return b
}

// messageOp parses the operation of message id, and the stream that may follow it.
func (p *parser) messageOp(id int64, m *message) (op, stream int64, err *syntaxError) {
	at := p.begin()
	if op = int64(slices.Index(messages[id].ops, p.word())); op < 0 || p.at == at {
		p.at = at
		if op, err = p.integer("message operation", 0, 7); err != nil {
			return 0, 0, err
		}
	}
	switch {
	case m != nil && m.ops == nil:
		return 0, 0, p.errorf(at, "%s takes no operation", m.names[LLVM])
	case m != nil && !m.hasOp(uint32(op), p.g):
		return 0, 0, p.errorf(at, "%s has no such operation", m.names[LLVM])
	case !p.accept(","):
		return op, 0, nil
	}
	at = p.at
	stream, err = p.integer("message stream", 0, 3)
	if err == nil && m != nil && (!m.stream || op == 0) {
		err = p.errorf(at, "%s takes no stream here", m.names[LLVM])
	}
	return op, stream, err
}

func (p *parser) sendmsg(q *part) *syntaxError {
	if !p.call("sendmsg") {
		return p.imm16(q, "message")
	}
	id, known, err := p.named("message", "MSG_", uint32(len(messages)), func(id uint32) string {
		return messageName(p.g, id, LLVM)
	})
	if err != nil {
		return err
	}
	var m *message // nil for a number
	if known {
		m = &messages[id]
	}
	op, stream := int64(0), int64(0)
	switch {
	case p.accept(","):
		op, stream, err = p.messageOp(id, m)
	case m != nil && m.ops != nil:
		err = p.errorf(p.at, "%s needs an operation", m.names[LLVM])
	}
	if err == nil {
		err = p.expect(")")
	}
	if err == nil {
		p.set(q.field, id|op<<4|stream<<8)
	}
	return err
}

func (p *parser) sendmsgCLRX(q *part) *syntaxError {
	if !p.call("sendmsg") {
		return p.errorf(p.at, "expected sendmsg(NAME), found %s", p.found())
	}
	id, err := p.numberedName("msg_", p.messageCLRX, uint32(len(messages)))
	if err != nil {
		return err
	}
	op, stream := int64(0), int64(0)
	isGS := id == msgGS || id == msgGSDone
	p.onlyOurs(!isGS && p.peek() == ',')
	if isGS && p.peek() != ',' {
		return p.expect(",")
	}
	if p.accept(",") {
		op, err = p.numberedName("gs_op_", func(id uint32) string { return clrxGSOps[id] }, uint32(len(clrxGSOps)))
		if err != nil {
			return err
		}
		if p.accept("-cut") && clrxGSOps[op] == "emit" {
			op++
		}
		if op != 0 && p.peek() != ',' {
			return p.expect(",")
		}
		if p.accept(",") {
			if stream, err = p.integer("message stream", 0, 3); err != nil {
				return err
			}
		}
	}
	if err := p.expect(")"); err != nil {
		return err
	}
	p.set(q.field, id|op<<4|stream<<8)
	return p.rawImm(q)
}

// messageCLRX returns the name of message id. It accepts names of GCN 1.2 that CLRX does not print.
func (p *parser) messageCLRX(id uint32) string {
	if p.g == gcn.GCN12 && messages[id].since == gcn.GCN12 {
		return messages[id].names[CLRX]
	}
	return messageName(p.g, id, CLRX)
}
