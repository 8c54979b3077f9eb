// A little of Vulkan, as much as the suite needs: a device with two queues of a family that
// computes, buffers, images, and pipelines that all have one layout.
#ifndef VK_H
#define VK_H

#include <stdbool.h>
#include <stdint.h>
#include <vulkan/vulkan.h>

#define CHECK(call) check(call, #call, __FILE__, __LINE__)
void check(VkResult r, const char *call, const char *file, int line);
void *must(void *p);

typedef struct {
	VkBuffer buffer;
	VkDeviceMemory memory;
	void *data; // mapped
	VkDeviceSize size;
} Buffer;

typedef struct {
	VkImage image;
	VkDeviceMemory memory;
	VkImageView view;
	VkImageCreateInfo info;
} Image;

typedef struct {
	VkShaderModule module;
	VkPipeline pipeline;
} Pipeline;

// The bindings of set 0, of every pipeline.
enum { OUT, IN, TEXTURE, STORAGE, UNIFORM_TEXELS, STORAGE_TEXELS, UNIFORMS, BINDINGS };

extern VkPhysicalDevice gpu;
extern VkDevice device;
extern VkQueue queues[2];
extern VkCommandBuffer cmd; // that begin() begins
extern uint32_t family;
extern bool draws; // the family
extern const char **extensions; // of the device, set before vk_init
extern uint32_t extension_count;
extern VkPhysicalDeviceFeatures2 features;
extern VkPhysicalDeviceVulkan11Features features11;
extern VkPhysicalDeviceVulkan12Features features12;
extern VkPhysicalDeviceProperties2 properties;
extern VkPhysicalDeviceSubgroupProperties subgroups;

void vk_init(const char *shaders);
void vk_done(void);

Buffer buffer_new(VkDeviceSize size);
void buffer_free(Buffer *b);
bool image_supported(const VkImageCreateInfo *info, VkFormatFeatureFlags want);
Image image_new(const VkImageCreateInfo *info, VkImageViewType type);
void image_free(Image *i);
void image_barrier(VkImage image, VkImageAspectFlags aspect, VkImageLayout from, VkImageLayout to);
VkImageAspectFlags aspect_of(VkFormat f);

Pipeline pipeline_new(const char *shader, const VkSpecializationInfo *spec);
void pipeline_free(Pipeline *p);
void vk_unbind(void); // all bindings, as what they name may be freed
void bind_pipeline(Pipeline *p, const void *push, uint32_t push_size);
void bind_buffer(uint32_t binding, const Buffer *b);
void bind_texture(const Image *i, VkSampler s);
void bind_storage(const Image *i);
void bind_texels(uint32_t binding, VkBufferView v);

VkCommandBuffer begin(void);
void barrier(void);
void submit(void); // what begin began, and wait
void label(const char *name); // opens a debug label; NULL ends the last one

#endif
