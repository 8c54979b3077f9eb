package rect

// depth returns the depth buffer if it is written. It is refused where anything is tested.
func (d *Draw) depth() ([]store, error) {
	r := d.Registers
	const stencil, z = 1 << 0, 1 << 1
	if r.get(depthControl)&(stencil|z) == 0 {
		return nil, nil
	}
	return nil, refuse("a depth buffer (DB_DEPTH_CONTROL 0x%x)", r.get(depthControl))
}
