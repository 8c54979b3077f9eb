// Dispatches two work-groups of the compute shader of a file, in SPIR-V, on the first Vulkan device, and writes what
// they leave: vulkan SHADER INPUT. Binding 0 is a buffer of 32 KiB with zeros, binding 1 one with the input,
// binding 2 an image of 16 x 16 texels that has the input, too. With UNOPTIMIZED in the environment the driver is asked
// not to optimize.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vulkan/vulkan.h>

enum { OUTPUT = 32 << 10, SIDE = 16, INPUT = SIDE * SIDE * 4 };

static VkPhysicalDevice gpu;
static VkDevice device;

static void fail(const char *what, int status) {
  fprintf(stderr, "%s\n", what);
  exit(status);
}

#define CHECK(call) ((call) == VK_SUCCESS ? (void)0 : fail(#call " failed", 1))

static size_t contents(const char *name, void *to, size_t most) {
  FILE *f = fopen(name, "rb");
  if (!f) fail(name, 1);
  size_t n = fread(to, 1, most, f);
  fclose(f);
  return n;
}

// allocate returns memory, and where the host sees it.
static VkDeviceMemory allocate(VkMemoryRequirements need, void **data) {
  const VkMemoryPropertyFlags want = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
  VkPhysicalDeviceMemoryProperties p;
  vkGetPhysicalDeviceMemoryProperties(gpu, &p);
  for (uint32_t i = 0; i < p.memoryTypeCount; i++)
    if ((need.memoryTypeBits & 1u << i) && (p.memoryTypes[i].propertyFlags & want) == want) {
      VkMemoryAllocateInfo a = {VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, .allocationSize = need.size,
        .memoryTypeIndex = i};
      VkDeviceMemory memory;
      CHECK(vkAllocateMemory(device, &a, NULL, &memory));
      CHECK(vkMapMemory(device, memory, 0, VK_WHOLE_SIZE, 0, data));
      memset(*data, 0, need.size);
      return memory;
    }
  fail("there is no such memory", 1);
  return NULL;
}

static VkBuffer buffer(size_t size, void **data) {
  VkBufferCreateInfo info = {VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .size = size,
    .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT};
  VkBuffer b;
  CHECK(vkCreateBuffer(device, &info, NULL, &b));
  VkMemoryRequirements need;
  vkGetBufferMemoryRequirements(device, b, &need);
  CHECK(vkBindBufferMemory(device, b, allocate(need, data), 0));
  return b;
}

// capable ends the program if the shader needs what the device has not.
static void capable(const uint32_t *code, size_t words, VkPhysicalDeviceFeatures2 *f,
    VkPhysicalDeviceVulkan12Features *f12, VkPhysicalDeviceVulkan11Features *f11) {
  const struct {
    uint32_t capability;
    VkBool32 has;
    const char *name;
  } all[] = {{10, f->features.shaderFloat64, "float64"}, {11, f->features.shaderInt64, "int64"},
    {12, f12->shaderBufferInt64Atomics, "int64 atomics"}, {22, f->features.shaderInt16, "int16"},
    {39, f12->shaderInt8, "int8"}, {9, f12->shaderFloat16, "float16"},
    {4433, f11->storageBuffer16BitAccess, "16-bit storage"}};
  for (size_t i = 5; i < words && code[i] >> 16; i += code[i] >> 16)
    for (size_t j = 0; j < sizeof all / sizeof *all; j++)
      if ((code[i] & 0xffff) == 17 && code[i + 1] == all[j].capability && !all[j].has) {
        fprintf(stderr, "error: the device has no %s\n", all[j].name);
        exit(3);
      }
}

int main(int argc, char **argv) {
  static uint32_t code[1 << 20];
  if (argc != 3) fail("usage: vulkan SHADER INPUT", 2);
  size_t size = contents(argv[1], code, sizeof code);

  VkApplicationInfo app = {VK_STRUCTURE_TYPE_APPLICATION_INFO, .apiVersion = VK_API_VERSION_1_2};
  VkInstanceCreateInfo instance_info = {VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO, .pApplicationInfo = &app};
  VkInstance instance;
  CHECK(vkCreateInstance(&instance_info, NULL, &instance));
  uint32_t n = 1;
  if (vkEnumeratePhysicalDevices(instance, &n, &gpu) < 0 || n == 0) fail("there is no Vulkan device", 1);
  VkPhysicalDeviceVulkan12Features f12 = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES};
  VkPhysicalDeviceVulkan11Features f11 = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES, &f12};
  VkPhysicalDeviceFeatures2 f = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, &f11};
  vkGetPhysicalDeviceFeatures2(gpu, &f);
  capable(code, size / 4, &f, &f12, &f11);

  // Of several families that compute one that does not draw.
  VkQueueFamilyProperties families[16];
  uint32_t count = 16, family = 0;
  vkGetPhysicalDeviceQueueFamilyProperties(gpu, &count, families);
  for (uint32_t i = count; i-- > 0;)
    if (families[i].queueFlags & VK_QUEUE_COMPUTE_BIT) {
      family = i;
      if (!(families[i].queueFlags & VK_QUEUE_GRAPHICS_BIT)) break;
    }
  float priority = 1;
  VkDeviceQueueCreateInfo queue_info = {VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, .queueFamilyIndex = family,
    .queueCount = 1, .pQueuePriorities = &priority};
  VkDeviceCreateInfo device_info = {VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, &f, .queueCreateInfoCount = 1,
    .pQueueCreateInfos = &queue_info};
  CHECK(vkCreateDevice(gpu, &device_info, NULL, &device));
  VkQueue queue;
  vkGetDeviceQueue(device, family, 0, &queue);

  void *out, *in;
  VkBuffer output = buffer(OUTPUT, &out), input = buffer(INPUT, &in);
  contents(argv[2], in, INPUT);
  VkImageCreateInfo image_info = {VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO, .imageType = VK_IMAGE_TYPE_2D,
    .format = VK_FORMAT_R32_UINT, .extent = {SIDE, SIDE, 1}, .mipLevels = 1, .arrayLayers = 1,
    .samples = VK_SAMPLE_COUNT_1_BIT, .tiling = VK_IMAGE_TILING_LINEAR, .usage = VK_IMAGE_USAGE_STORAGE_BIT,
    .initialLayout = VK_IMAGE_LAYOUT_PREINITIALIZED};
  VkImage image;
  CHECK(vkCreateImage(device, &image_info, NULL, &image));
  VkMemoryRequirements need;
  vkGetImageMemoryRequirements(device, image, &need);
  void *texels;
  CHECK(vkBindImageMemory(device, image, allocate(need, &texels), 0));
  VkImageSubresource level = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0};
  VkSubresourceLayout at;
  vkGetImageSubresourceLayout(device, image, &level, &at);
  for (int y = 0; y < SIDE; y++)
    memcpy((char *)texels + at.offset + y * at.rowPitch, (char *)in + y * SIDE * 4, SIDE * 4);
  VkImageSubresourceRange whole = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
  VkImageViewCreateInfo view_info = {VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO, .image = image,
    .viewType = VK_IMAGE_VIEW_TYPE_2D, .format = VK_FORMAT_R32_UINT, .subresourceRange = whole};
  VkImageView view;
  CHECK(vkCreateImageView(device, &view_info, NULL, &view));

  VkDescriptorType types[] = {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
    VK_DESCRIPTOR_TYPE_STORAGE_IMAGE};
  VkDescriptorSetLayoutBinding bindings[3];
  for (uint32_t i = 0; i < 3; i++)
    bindings[i] = (VkDescriptorSetLayoutBinding){i, types[i], 1, VK_SHADER_STAGE_COMPUTE_BIT, NULL};
  VkDescriptorSetLayoutCreateInfo set_layout_info = {VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
    .bindingCount = 3, .pBindings = bindings};
  VkDescriptorSetLayout set_layout;
  CHECK(vkCreateDescriptorSetLayout(device, &set_layout_info, NULL, &set_layout));
  VkDescriptorPoolSize sizes[] = {{types[0], 2}, {types[2], 1}};
  VkDescriptorPoolCreateInfo pool_info = {VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO, .maxSets = 1,
    .poolSizeCount = 2, .pPoolSizes = sizes};
  VkDescriptorPool pool;
  CHECK(vkCreateDescriptorPool(device, &pool_info, NULL, &pool));
  VkDescriptorSetAllocateInfo set_info = {VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO, .descriptorPool = pool,
    .descriptorSetCount = 1, .pSetLayouts = &set_layout};
  VkDescriptorSet set;
  CHECK(vkAllocateDescriptorSets(device, &set_info, &set));
  VkDescriptorBufferInfo buffers[] = {{output, 0, OUTPUT}, {input, 0, INPUT}};
  VkDescriptorImageInfo picture = {.imageView = view, .imageLayout = VK_IMAGE_LAYOUT_GENERAL};
  for (uint32_t i = 0; i < 3; i++) {
    VkWriteDescriptorSet write = {VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET, .dstSet = set, .dstBinding = i,
      .descriptorCount = 1, .descriptorType = types[i], .pBufferInfo = &buffers[i % 2], .pImageInfo = &picture};
    vkUpdateDescriptorSets(device, 1, &write, 0, NULL);
  }

  VkShaderModuleCreateInfo module_info = {VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, .codeSize = size, .pCode = code};
  VkShaderModule module;
  CHECK(vkCreateShaderModule(device, &module_info, NULL, &module));
  VkPipelineLayoutCreateInfo layout_info = {VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO, .setLayoutCount = 1,
    .pSetLayouts = &set_layout};
  VkPipelineLayout layout;
  CHECK(vkCreatePipelineLayout(device, &layout_info, NULL, &layout));
  VkComputePipelineCreateInfo pipeline_info = {VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO, .layout = layout,
    .flags = getenv("UNOPTIMIZED") ? VK_PIPELINE_CREATE_DISABLE_OPTIMIZATION_BIT : 0,
    .stage = {VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO, .stage = VK_SHADER_STAGE_COMPUTE_BIT,
      .module = module, .pName = "main"}};
  VkPipeline pipeline;
  CHECK(vkCreateComputePipelines(device, NULL, 1, &pipeline_info, NULL, &pipeline));

  VkCommandPoolCreateInfo commands_info = {VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO, .queueFamilyIndex = family};
  VkCommandPool commands;
  CHECK(vkCreateCommandPool(device, &commands_info, NULL, &commands));
  VkCommandBufferAllocateInfo command_info = {VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, .commandPool = commands,
    .commandBufferCount = 1};
  VkCommandBuffer cmd;
  CHECK(vkAllocateCommandBuffers(device, &command_info, &cmd));
  VkCommandBufferBeginInfo begin = {VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
  CHECK(vkBeginCommandBuffer(cmd, &begin));
  VkImageMemoryBarrier barrier = {VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER, .dstAccessMask = VK_ACCESS_SHADER_READ_BIT,
    .oldLayout = VK_IMAGE_LAYOUT_PREINITIALIZED, .newLayout = VK_IMAGE_LAYOUT_GENERAL, .image = image,
    .srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED, .dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
    .subresourceRange = whole};
  vkCmdPipelineBarrier(cmd, VK_PIPELINE_STAGE_HOST_BIT, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, 0, 0, NULL, 0, NULL, 1,
    &barrier);
  vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
  vkCmdBindDescriptorSets(cmd, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &set, 0, NULL);
  vkCmdDispatch(cmd, 2, 1, 1);
  CHECK(vkEndCommandBuffer(cmd));
  VkSubmitInfo submit = {VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &cmd};
  CHECK(vkQueueSubmit(queue, 1, &submit, NULL));
  CHECK(vkQueueWaitIdle(queue));
  return fwrite(out, OUTPUT, 1, stdout) != 1;
}
