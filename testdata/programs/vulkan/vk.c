#include "vk.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

VkPhysicalDevice gpu;
VkDevice device;
VkQueue queues[2];
VkCommandBuffer cmd;
uint32_t family;
bool draws;
const char **extensions;
uint32_t extension_count;
VkPhysicalDeviceVulkan12Features features12 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES};
VkPhysicalDeviceVulkan11Features features11 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES, .pNext = &features12};
VkPhysicalDeviceFeatures2 features = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, .pNext = &features11};
VkPhysicalDeviceSubgroupProperties subgroups = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES};
VkPhysicalDeviceProperties2 properties = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, .pNext = &subgroups};

static VkInstance instance;
static VkCommandPool pool;
static VkDescriptorSetLayout set_layout;
static VkDescriptorPool set_pool;
static VkDescriptorSet set;
static VkPipelineLayout layout;
static VkPhysicalDeviceMemoryProperties memories;
static const char *shader_dir;
static struct {
	Buffer buffer;
	Image image;
	VkSampler sampler;
	VkBufferView view;
} dummy; // in bindings that no test has used: not all drivers look at what shaders use alone

void check(VkResult r, const char *call, const char *file, int line) {
	if (r == VK_SUCCESS) return;
	fflush(stdout);
	fprintf(stderr, "%s:%d: %s returned %d\n", file, line, call, r);
	exit(1);
}

void *must(void *p) {
	if (p) return p;
	fprintf(stderr, "out of memory\n");
	exit(1);
}

// find_family prefers one that computes and does not draw, as programs for compute do; with DRAWS in the environment
// it takes the first one that computes, as other programs do. On Radeons that one draws, too.
static void find_family(void) {
	VkQueueFamilyProperties all[16];
	uint32_t n = 16, count = 0;
	int best = -1;
	vkGetPhysicalDeviceQueueFamilyProperties(gpu, &n, all);
	for (uint32_t i = 0; i < n; i++) {
		if (!(all[i].queueFlags & VK_QUEUE_COMPUTE_BIT)) continue;
		if (best >= 0 && ((all[i].queueFlags & VK_QUEUE_GRAPHICS_BIT) || getenv("DRAWS"))) continue;
		best = i;
		count = all[i].queueCount < 2 ? all[i].queueCount : 2;
	}
	if (best < 0) {
		fprintf(stderr, "no queue family computes\n");
		exit(1);
	}
	family = best;
	draws = all[best].queueFlags & VK_QUEUE_GRAPHICS_BIT;
	const float priorities[] = {1, 1};
	const VkDeviceQueueCreateInfo queue = {VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, .queueFamilyIndex = family, .queueCount = count, .pQueuePriorities = priorities};
	features.features.robustBufferAccess = VK_TRUE;
	const VkDeviceCreateInfo info = {VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, &features, .queueCreateInfoCount = 1, .pQueueCreateInfos = &queue,
		.enabledExtensionCount = extension_count, .ppEnabledExtensionNames = extensions};
	CHECK(vkCreateDevice(gpu, &info, NULL, &device));
	for (uint32_t i = 0; i < 2; i++) vkGetDeviceQueue(device, family, i % count, &queues[i]);
}

void vk_init(const char *shaders) {
	shader_dir = shaders;
	const VkApplicationInfo app = {VK_STRUCTURE_TYPE_APPLICATION_INFO, .apiVersion = VK_API_VERSION_1_2};
	const char *labels = VK_EXT_DEBUG_UTILS_EXTENSION_NAME; // of the loader
	const VkInstanceCreateInfo info = {VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO, .pApplicationInfo = &app,
		.enabledExtensionCount = 1, .ppEnabledExtensionNames = &labels};
	CHECK(vkCreateInstance(&info, NULL, &instance));
	uint32_t n = 1;
	VkResult r = vkEnumeratePhysicalDevices(instance, &n, &gpu);
	if (n == 0 || (r != VK_SUCCESS && r != VK_INCOMPLETE)) {
		fprintf(stderr, "no Vulkan device\n");
		exit(1);
	}
	vkGetPhysicalDeviceFeatures2(gpu, &features);
	vkGetPhysicalDeviceProperties2(gpu, &properties);
	vkGetPhysicalDeviceMemoryProperties(gpu, &memories);
	find_family();
	const VkCommandPoolCreateInfo pool_info = {VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO, .flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT, .queueFamilyIndex = family};
	CHECK(vkCreateCommandPool(device, &pool_info, NULL, &pool));
	const VkCommandBufferAllocateInfo cmd_info = {VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, .commandPool = pool, .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY, .commandBufferCount = 1};
	CHECK(vkAllocateCommandBuffers(device, &cmd_info, &cmd));
	static const VkDescriptorType types[BINDINGS] = {
		[OUT] = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, [IN] = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, [TEXTURE] = VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER,
		[STORAGE] = VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, [UNIFORM_TEXELS] = VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER,
		[STORAGE_TEXELS] = VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER, [UNIFORMS] = VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER,
	};
	VkDescriptorSetLayoutBinding bindings[BINDINGS];
	VkDescriptorPoolSize sizes[BINDINGS];
	for (uint32_t i = 0; i < BINDINGS; i++) {
		bindings[i] = (VkDescriptorSetLayoutBinding){i, types[i], 1, VK_SHADER_STAGE_COMPUTE_BIT, NULL};
		sizes[i] = (VkDescriptorPoolSize){types[i], 1};
	}
	const VkDescriptorSetLayoutCreateInfo set_info = {VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO, .bindingCount = BINDINGS, .pBindings = bindings};
	CHECK(vkCreateDescriptorSetLayout(device, &set_info, NULL, &set_layout));
	const VkDescriptorPoolCreateInfo sets = {VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO, .maxSets = 1, .poolSizeCount = BINDINGS, .pPoolSizes = sizes};
	CHECK(vkCreateDescriptorPool(device, &sets, NULL, &set_pool));
	const VkDescriptorSetAllocateInfo one = {VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO, .descriptorPool = set_pool, .descriptorSetCount = 1, .pSetLayouts = &set_layout};
	CHECK(vkAllocateDescriptorSets(device, &one, &set));
	const VkPushConstantRange push = {VK_SHADER_STAGE_COMPUTE_BIT, 0, 64};
	const VkPipelineLayoutCreateInfo layout_info = {VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO, .setLayoutCount = 1, .pSetLayouts = &set_layout, .pushConstantRangeCount = 1, .pPushConstantRanges = &push};
	CHECK(vkCreatePipelineLayout(device, &layout_info, NULL, &layout));
	dummy.buffer = buffer_new(256);
	const VkImageCreateInfo image = {VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO, .imageType = VK_IMAGE_TYPE_2D, .format = VK_FORMAT_R32_UINT, .extent = {1, 1, 1}, .mipLevels = 1, .arrayLayers = 1,
		.samples = VK_SAMPLE_COUNT_1_BIT, .usage = VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_STORAGE_BIT};
	dummy.image = image_new(&image, VK_IMAGE_VIEW_TYPE_2D);
	const VkSamplerCreateInfo sampler = {VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO};
	CHECK(vkCreateSampler(device, &sampler, NULL, &dummy.sampler));
	const VkBufferViewCreateInfo view = {VK_STRUCTURE_TYPE_BUFFER_VIEW_CREATE_INFO, .buffer = dummy.buffer.buffer, .format = VK_FORMAT_R32_UINT, .range = VK_WHOLE_SIZE};
	CHECK(vkCreateBufferView(device, &view, NULL, &dummy.view));
	vk_unbind();
}

void vk_done(void) {
	vkDestroyBufferView(device, dummy.view, NULL);
	vkDestroySampler(device, dummy.sampler, NULL);
	image_free(&dummy.image);
	buffer_free(&dummy.buffer);
	vkDestroyPipelineLayout(device, layout, NULL);
	vkDestroyDescriptorPool(device, set_pool, NULL);
	vkDestroyDescriptorSetLayout(device, set_layout, NULL);
	vkDestroyCommandPool(device, pool, NULL);
	vkDestroyDevice(device, NULL);
	vkDestroyInstance(instance, NULL);
}

static VkDeviceMemory allocate(const VkMemoryRequirements *need, VkMemoryPropertyFlags want) {
	for (uint32_t i = 0; i < memories.memoryTypeCount; i++) {
		if (!(need->memoryTypeBits >> i & 1) || (memories.memoryTypes[i].propertyFlags & want) != want) continue;
		const VkMemoryAllocateInfo info = {VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, .allocationSize = need->size, .memoryTypeIndex = i};
		VkDeviceMemory m;
		CHECK(vkAllocateMemory(device, &info, NULL, &m));
		return m;
	}
	fprintf(stderr, "no memory type has flags %x\n", want);
	exit(1);
}

Buffer buffer_new(VkDeviceSize size) {
	Buffer b = {.size = size};
	const VkBufferCreateInfo info = {VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .size = size, .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT |
		VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT | VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT | VK_BUFFER_USAGE_UNIFORM_TEXEL_BUFFER_BIT | VK_BUFFER_USAGE_STORAGE_TEXEL_BUFFER_BIT};
	CHECK(vkCreateBuffer(device, &info, NULL, &b.buffer));
	VkMemoryRequirements need;
	vkGetBufferMemoryRequirements(device, b.buffer, &need);
	b.memory = allocate(&need, VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT);
	CHECK(vkBindBufferMemory(device, b.buffer, b.memory, 0));
	CHECK(vkMapMemory(device, b.memory, 0, VK_WHOLE_SIZE, 0, &b.data));
	memset(b.data, 0, size);
	return b;
}

void buffer_free(Buffer *b) {
	vkDestroyBuffer(device, b->buffer, NULL);
	vkFreeMemory(device, b->memory, NULL);
}

bool image_supported(const VkImageCreateInfo *info, VkFormatFeatureFlags want) {
	VkFormatProperties p;
	VkImageFormatProperties limits;
	vkGetPhysicalDeviceFormatProperties(gpu, info->format, &p);
	return (p.optimalTilingFeatures & want) == want &&
		vkGetPhysicalDeviceImageFormatProperties(gpu, info->format, info->imageType, info->tiling, info->usage, info->flags, &limits) == VK_SUCCESS &&
		info->mipLevels <= limits.maxMipLevels && info->arrayLayers <= limits.maxArrayLayers;
}

VkImageAspectFlags aspect_of(VkFormat f) {
	switch (f) {
	case VK_FORMAT_D16_UNORM:
	case VK_FORMAT_D32_SFLOAT:
		return VK_IMAGE_ASPECT_DEPTH_BIT;
	case VK_FORMAT_S8_UINT:
		return VK_IMAGE_ASPECT_STENCIL_BIT;
	default:
		return VK_IMAGE_ASPECT_COLOR_BIT;
	}
}

Image image_new(const VkImageCreateInfo *info, VkImageViewType type) {
	Image i = {.info = *info};
	CHECK(vkCreateImage(device, info, NULL, &i.image));
	VkMemoryRequirements need;
	vkGetImageMemoryRequirements(device, i.image, &need);
	i.memory = allocate(&need, 0);
	CHECK(vkBindImageMemory(device, i.image, i.memory, 0));
	const VkImageViewCreateInfo view = {VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO, .image = i.image, .viewType = type, .format = info->format,
		.subresourceRange = {aspect_of(info->format), 0, info->mipLevels, 0, info->arrayLayers}};
	CHECK(vkCreateImageView(device, &view, NULL, &i.view));
	return i;
}

void image_free(Image *i) {
	vkDestroyImageView(device, i->view, NULL);
	vkDestroyImage(device, i->image, NULL);
	vkFreeMemory(device, i->memory, NULL);
}

void image_barrier(VkImage image, VkImageAspectFlags aspect, VkImageLayout from, VkImageLayout to) {
	const VkImageMemoryBarrier b = {VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER, NULL, VK_ACCESS_MEMORY_WRITE_BIT, VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT, from, to,
		VK_QUEUE_FAMILY_IGNORED, VK_QUEUE_FAMILY_IGNORED, image, {aspect, 0, VK_REMAINING_MIP_LEVELS, 0, VK_REMAINING_ARRAY_LAYERS}};
	vkCmdPipelineBarrier(cmd, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 0, NULL, 0, NULL, 1, &b);
}

Pipeline pipeline_new(const char *shader, const VkSpecializationInfo *spec) {
	char path[512];
	snprintf(path, sizeof path, "%s/%s.spv", shader_dir, shader);
	FILE *f = fopen(path, "rb");
	if (!f) {
		perror(path);
		exit(1);
	}
	fseek(f, 0, SEEK_END);
	long size = ftell(f);
	rewind(f);
	uint32_t *code = must(malloc(size));
	if (fread(code, 1, size, f) != (size_t)size) {
		perror(path);
		exit(1);
	}
	fclose(f);
	Pipeline p;
	const VkShaderModuleCreateInfo module = {VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, .codeSize = size, .pCode = code};
	CHECK(vkCreateShaderModule(device, &module, NULL, &p.module));
	const VkComputePipelineCreateInfo info = {VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO, .flags = VK_PIPELINE_CREATE_DISPATCH_BASE_BIT, .layout = layout,
		.stage = {VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO, .stage = VK_SHADER_STAGE_COMPUTE_BIT, .module = p.module, .pName = "main", .pSpecializationInfo = spec}};
	CHECK(vkCreateComputePipelines(device, VK_NULL_HANDLE, 1, &info, NULL, &p.pipeline));
	free(code);
	return p;
}

void pipeline_free(Pipeline *p) {
	vkDestroyPipeline(device, p->pipeline, NULL);
	vkDestroyShaderModule(device, p->module, NULL);
}

static void write_set(uint32_t binding, VkDescriptorType type, const VkDescriptorBufferInfo *buffer, const VkDescriptorImageInfo *image, const VkBufferView *view) {
	const VkWriteDescriptorSet w = {VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET, NULL, set, binding, 0, 1, type, image, buffer, view};
	vkUpdateDescriptorSets(device, 1, &w, 0, NULL);
}

void bind_buffer(uint32_t binding, const Buffer *b) {
	const VkDescriptorBufferInfo info = {b->buffer, 0, b->size};
	write_set(binding, binding == UNIFORMS ? VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER : VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, &info, NULL, NULL);
}

void bind_texture(const Image *i, VkSampler s) {
	const VkDescriptorImageInfo info = {s, i->view, VK_IMAGE_LAYOUT_GENERAL};
	write_set(TEXTURE, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, NULL, &info, NULL);
}

void bind_storage(const Image *i) {
	const VkDescriptorImageInfo info = {VK_NULL_HANDLE, i->view, VK_IMAGE_LAYOUT_GENERAL};
	write_set(STORAGE, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, NULL, &info, NULL);
}

void bind_texels(uint32_t binding, VkBufferView v) {
	write_set(binding, binding == UNIFORM_TEXELS ? VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER : VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER, NULL, NULL, &v);
}

void vk_unbind(void) {
	bind_buffer(OUT, &dummy.buffer);
	bind_buffer(IN, &dummy.buffer);
	bind_buffer(UNIFORMS, &dummy.buffer);
	bind_texture(&dummy.image, dummy.sampler);
	bind_storage(&dummy.image);
	bind_texels(UNIFORM_TEXELS, dummy.view);
	bind_texels(STORAGE_TEXELS, dummy.view);
}

void bind_pipeline(Pipeline *p, const void *push, uint32_t push_size) {
	vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_COMPUTE, p->pipeline);
	vkCmdBindDescriptorSets(cmd, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &set, 0, NULL);
	if (push_size) vkCmdPushConstants(cmd, layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, push_size, push);
}

VkCommandBuffer begin(void) {
	const VkCommandBufferBeginInfo info = {VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
	CHECK(vkBeginCommandBuffer(cmd, &info));
	return cmd;
}

void barrier(void) {
	const VkMemoryBarrier b = {VK_STRUCTURE_TYPE_MEMORY_BARRIER, NULL, VK_ACCESS_MEMORY_WRITE_BIT, VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT};
	vkCmdPipelineBarrier(cmd, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 1, &b, 0, NULL, 0, NULL);
}

void submit(void) {
	CHECK(vkEndCommandBuffer(cmd));
	const VkSubmitInfo info = {VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &cmd};
	CHECK(vkQueueSubmit(queues[0], 1, &info, VK_NULL_HANDLE));
	CHECK(vkQueueWaitIdle(queues[0]));
}

void label(const char *name) {
	const VkDebugUtilsLabelEXT info = {VK_STRUCTURE_TYPE_DEBUG_UTILS_LABEL_EXT, .pLabelName = name};
	if (name) ((PFN_vkCmdBeginDebugUtilsLabelEXT)vkGetInstanceProcAddr(instance, "vkCmdBeginDebugUtilsLabelEXT"))(cmd, &info);
	else ((PFN_vkCmdEndDebugUtilsLabelEXT)vkGetInstanceProcAddr(instance, "vkCmdEndDebugUtilsLabelEXT"))(cmd);
}
