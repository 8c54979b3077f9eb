// Work-item ids and barriers without libclc.
#define LOCAL_X __builtin_amdgcn_workitem_id_x()
#define LOCAL_Y __builtin_amdgcn_workitem_id_y()
#define LOCAL_Z __builtin_amdgcn_workitem_id_z()
#define GROUP_X __builtin_amdgcn_workgroup_id_x()
#define GROUP_Y __builtin_amdgcn_workgroup_id_y()
#define GROUP_Z __builtin_amdgcn_workgroup_id_z()
#define GLOBAL_X(size) ((int)(GROUP_X * (size) + LOCAL_X))
#define GLOBAL_Y(size) ((int)(GROUP_Y * (size) + LOCAL_Y))

static inline void barrier_lds(void) {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}
