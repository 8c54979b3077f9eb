// VK_LAYER_GCNSIM_compute_only hides graphics from Vulkan programs: queue families with
// graphics say that they can bind sparse memory and nothing else, so that a program which
// looks for a family for compute takes one without graphics. Nothing else changes, no
// index either.
//
// Needs the headers of Vulkan 1.1 or later; docs/DEVICE.md says how to build and use it.
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <vulkan/vk_layer.h>
#include <vulkan/vulkan.h>

#define EXPORT __attribute__((visibility("default")))

// What the layer keeps of an instance. Handles begin with a pointer that the instance and
// its physical devices share, which finds it again.
struct instance {
	struct instance *next;
	void *key;
	VkInstance handle;
	PFN_vkGetInstanceProcAddr proc;
	PFN_vkDestroyInstance destroy;
	PFN_vkGetPhysicalDeviceQueueFamilyProperties families;
	PFN_vkGetPhysicalDeviceQueueFamilyProperties2 families2;
};

static struct instance *instances;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static struct instance *find(const void *handle)
{
	pthread_mutex_lock(&lock);
	struct instance *i = instances;
	while (i && i->key != *(void *const *)handle)
		i = i->next;
	pthread_mutex_unlock(&lock);
	return i;
}

static void hide(VkQueueFamilyProperties *p)
{
	if (p->queueFlags & VK_QUEUE_GRAPHICS_BIT)
		p->queueFlags = VK_QUEUE_SPARSE_BINDING_BIT;
}

static VKAPI_ATTR void VKAPI_CALL families(VkPhysicalDevice device, uint32_t *count, VkQueueFamilyProperties *all)
{
	find(device)->families(device, count, all);
	for (uint32_t i = 0; all && i < *count; i++)
		hide(&all[i]);
}

static VKAPI_ATTR void VKAPI_CALL families2(VkPhysicalDevice device, uint32_t *count, VkQueueFamilyProperties2 *all)
{
	find(device)->families2(device, count, all);
	for (uint32_t i = 0; all && i < *count; i++)
		hide(&all[i].queueFamilyProperties);
}

static VKAPI_ATTR void VKAPI_CALL destroy(VkInstance handle, const VkAllocationCallbacks *allocator)
{
	if (!handle)
		return;
	void *key = *(void **)handle;
	pthread_mutex_lock(&lock);
	struct instance **at = &instances;
	while (*at && (*at)->key != key)
		at = &(*at)->next;
	struct instance *gone = *at;
	if (gone)
		*at = gone->next;
	pthread_mutex_unlock(&lock);
	if (gone)
		gone->destroy(handle, allocator);
	free(gone);
}

static VKAPI_ATTR VkResult VKAPI_CALL create(const VkInstanceCreateInfo *info, const VkAllocationCallbacks *allocator, VkInstance *out)
{
	VkLayerInstanceCreateInfo *link = (VkLayerInstanceCreateInfo *)info->pNext;
	while (link && (link->sType != VK_STRUCTURE_TYPE_LOADER_INSTANCE_CREATE_INFO || link->function != VK_LAYER_LINK_INFO))
		link = (VkLayerInstanceCreateInfo *)link->pNext;
	if (!link)
		return VK_ERROR_INITIALIZATION_FAILED;
	PFN_vkGetInstanceProcAddr proc = link->u.pLayerInfo->pfnNextGetInstanceProcAddr;
	link->u.pLayerInfo = link->u.pLayerInfo->pNext; // of the next layer
	PFN_vkCreateInstance next = (PFN_vkCreateInstance)proc(NULL, "vkCreateInstance");
	if (!next)
		return VK_ERROR_INITIALIZATION_FAILED;
	struct instance *i = calloc(1, sizeof *i);
	if (!i)
		return VK_ERROR_OUT_OF_HOST_MEMORY;
	VkResult result = next(info, allocator, out);
	if (result != VK_SUCCESS) {
		free(i);
		return result;
	}
	i->key = *(void **)*out;
	i->handle = *out;
	i->proc = proc;
	i->destroy = (PFN_vkDestroyInstance)proc(*out, "vkDestroyInstance");
	i->families = (PFN_vkGetPhysicalDeviceQueueFamilyProperties)proc(*out, "vkGetPhysicalDeviceQueueFamilyProperties");
	i->families2 = (PFN_vkGetPhysicalDeviceQueueFamilyProperties2)proc(*out, "vkGetPhysicalDeviceQueueFamilyProperties2");
	if (!i->families2)
		i->families2 = (PFN_vkGetPhysicalDeviceQueueFamilyProperties2)proc(*out, "vkGetPhysicalDeviceQueueFamilyProperties2KHR");
	pthread_mutex_lock(&lock);
	i->next = instances;
	instances = i;
	pthread_mutex_unlock(&lock);
	return VK_SUCCESS;
}

EXPORT VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL compute_only_proc(VkInstance handle, const char *name)
{
	static const struct {
		const char *name;
		PFN_vkVoidFunction function;
	} ours[] = {
		{"vkGetInstanceProcAddr", (PFN_vkVoidFunction)compute_only_proc},
		{"vkCreateInstance", (PFN_vkVoidFunction)create},
		{"vkDestroyInstance", (PFN_vkVoidFunction)destroy},
		{"vkGetPhysicalDeviceQueueFamilyProperties", (PFN_vkVoidFunction)families},
		{"vkGetPhysicalDeviceQueueFamilyProperties2", (PFN_vkVoidFunction)families2},
		{"vkGetPhysicalDeviceQueueFamilyProperties2KHR", (PFN_vkVoidFunction)families2},
	};
	struct instance *i = handle ? find(handle) : NULL;
	for (size_t n = 0; n < sizeof ours / sizeof *ours; n++)
		if (!strcmp(name, ours[n].name) && (n < 4 || !i || i->proc(i->handle, name)))
			return ours[n].function;
	return i ? i->proc(i->handle, name) : NULL;
}

EXPORT VKAPI_ATTR VkResult VKAPI_CALL vkNegotiateLoaderLayerInterfaceVersion(VkNegotiateLayerInterface *v)
{
	if (v->loaderLayerInterfaceVersion < 2)
		return VK_ERROR_INITIALIZATION_FAILED;
	v->loaderLayerInterfaceVersion = 2;
	v->pfnGetInstanceProcAddr = compute_only_proc;
	v->pfnGetDeviceProcAddr = NULL; // devices are not its business
	v->pfnGetPhysicalDeviceProcAddr = NULL;
	return VK_SUCCESS;
}
