// Runs a look-up shader on the CPU, by Mesa's lavapipe, and prints what it leaves.
//   lavapipe FILE.spv FILE.pictures WORDS
// Binding 0 takes WORDS words, which are printed, four a line. Binding 1 holds 128 words
// of noise, and each line of FILE.pictures is an image with a sampler, filled with noise.
// README.md says more.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vulkan/vulkan.h>

#define TRY(call)                                             \
  do {                                                        \
    VkResult r_ = call;                                       \
    if (r_ != VK_SUCCESS) {                                   \
      fprintf(stderr, "lavapipe: %s gives %d\n", #call, r_);  \
      exit(1);                                                \
    }                                                         \
  } while (0)

enum { maxPictures = 8, maxLevels = 6, inputs = 128, maxTexels = 1 << 20 };

static VkPhysicalDevice gpu;
static VkDevice device;
static VkQueue queue;
static VkCommandPool pool;

static VkDeviceMemory memory(VkMemoryRequirements need) { // lavapipe has one type, which is the CPU's
  VkMemoryAllocateInfo ai = {VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, .allocationSize = need.size};
  VkDeviceMemory m;
  TRY(vkAllocateMemory(device, &ai, NULL, &m));
  return m;
}

static VkBuffer buffer(size_t size, void **map) {
  VkBufferCreateInfo ci = {VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .size = size,
                           .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT};
  VkBuffer b;
  TRY(vkCreateBuffer(device, &ci, NULL, &b));
  VkMemoryRequirements need;
  vkGetBufferMemoryRequirements(device, b, &need);
  VkDeviceMemory m = memory(need);
  TRY(vkBindBufferMemory(device, b, m, 0));
  TRY(vkMapMemory(device, m, 0, size, 0, map));
  return b;
}

static VkCommandBuffer begin(void) {
  VkCommandBufferAllocateInfo ai = {VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, .commandPool = pool, .commandBufferCount = 1};
  VkCommandBuffer c;
  TRY(vkAllocateCommandBuffers(device, &ai, &c));
  VkCommandBufferBeginInfo bi = {VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
  TRY(vkBeginCommandBuffer(c, &bi));
  return c;
}

static void end(VkCommandBuffer c) {
  TRY(vkEndCommandBuffer(c));
  VkSubmitInfo si = {VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &c};
  TRY(vkQueueSubmit(queue, 1, &si, VK_NULL_HANDLE));
  TRY(vkQueueWaitIdle(queue));
}

static uint32_t noise(uint32_t *x) {
  *x = *x * 1664525u + 1013904223u;
  return *x ^ *x >> 16;
}

// fill writes n components, one for each number of noise, and returns the bytes they take.
static size_t fill(const char *format, void *to, size_t n, uint32_t *x) {
  for (size_t i = 0; i < n; i++) {
    uint32_t v = noise(x) >> 8 & 0xff;
    float f = v / 256.0f;
    if (!strcmp(format, "half")) // 0.5 to 1
      ((uint16_t *)to)[i] = 0x3800 | v << 2;
    else if (!strcmp(format, "uint16") || !strcmp(format, "depth16"))
      ((uint16_t *)to)[i] = v * 257;
    else if (!strcmp(format, "float") || !strcmp(format, "depth32"))
      ((float *)to)[i] = f;
    else
      ((uint8_t *)to)[i] = v;
  }
  return n * (strstr(format, "32") || !strcmp(format, "float") ? 4 : strstr(format, "16") || !strcmp(format, "half") ? 2 : 1);
}

static int lookup(const char *const *names, const char *name) {
  for (int i = 0; names[i]; i++)
    if (!strcmp(names[i], name)) return i;
  return -1;
}

static const char *const shapes[] = {"1d", "2d", "3d", "cube", "1darray", "2darray", "cubearray", NULL};   // VkImageViewType
static const char *const wraps[] = {"repeat", "mirror", "edge", "border", "once", NULL};                    // VkSamplerAddressMode
static const char *const compares[] = {"never", "less", "equal", "lessequal", "greater", "notequal", "greaterequal", NULL}; // VkCompareOp
static const char *const borders[] = {"clear", "", "black", "", "white", NULL};                             // VkBorderColor
static const char *const formats[] = {"unorm8", "sint8", "half", "uint16", "float", "depth32", "depth16", NULL};
static const VkFormat codes[] = {VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_R8G8B8A8_SINT, VK_FORMAT_R16G16B16A16_SFLOAT, VK_FORMAT_R16G16B16A16_UINT,
                                 VK_FORMAT_R32G32B32A32_SFLOAT, VK_FORMAT_D32_SFLOAT, VK_FORMAT_D16_UNORM};

// picture creates what a line of FILE.pictures says, and returns its binding.
static uint32_t picture(const char *line, VkDescriptorImageInfo *info) {
  uint32_t binding, width, height, depth, levels;
  char shape[16], format[16], wrap[3][16], filter[16], mip[16], option[16];
  if (sscanf(line, "%u %15s %15s %u %u %u %u %15s %15s %15s %15s %15s %15s", &binding, shape, format, &width, &height, &depth, &levels, wrap[0],
             wrap[1], wrap[2], filter, mip, option) != 13)
    exit(2);
  int type = lookup(shapes, shape), code = lookup(formats, format);
  if (type < 0 || code < 0) exit(2);
  code = codes[code];
  int cube = !strncmp(shape, "cube", 4), solid = type == VK_IMAGE_VIEW_TYPE_3D, compared = !strncmp(format, "depth", 5);
  uint32_t layers = solid ? 1 : cube ? 6 * depth : depth;
  VkImageAspectFlags aspect = compared ? VK_IMAGE_ASPECT_DEPTH_BIT : VK_IMAGE_ASPECT_COLOR_BIT;

  VkImageCreateInfo ci = {VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO, .flags = cube ? VK_IMAGE_CREATE_CUBE_COMPATIBLE_BIT : 0,
                          .imageType = solid ? VK_IMAGE_TYPE_3D : !strncmp(shape, "1d", 2) ? VK_IMAGE_TYPE_1D : VK_IMAGE_TYPE_2D, .format = code,
                          .extent = {width, height, solid ? depth : 1}, .mipLevels = levels, .arrayLayers = layers, .samples = 1,
                          .usage = VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT};
  VkImage image;
  TRY(vkCreateImage(device, &ci, NULL, &image));
  VkMemoryRequirements need;
  vkGetImageMemoryRequirements(device, image, &need);
  TRY(vkBindImageMemory(device, image, memory(need), 0));

  void *map;
  VkBuffer texels = buffer(maxTexels, &map);
  VkBufferImageCopy copies[maxLevels];
  size_t offset = 0;
  uint32_t x = binding;
  for (uint32_t l = 0; l < levels; l++) {
    VkExtent3D e = {width >> l ? width >> l : 1, height >> l ? height >> l : 1, solid && depth >> l ? depth >> l : 1};
    copies[l] = (VkBufferImageCopy){offset, 0, 0, {aspect, l, 0, layers}, {0, 0, 0}, e};
    offset += fill(format, (char *)map + offset, (size_t)e.width * e.height * e.depth * layers * (compared ? 1 : 4), &x);
  }
  VkCommandBuffer c = begin();
  VkImageSubresourceRange all = {aspect, 0, levels, 0, layers};
  VkImageMemoryBarrier barrier = {VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER, .dstAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT,
                                  .newLayout = VK_IMAGE_LAYOUT_GENERAL, .image = image, .subresourceRange = all};
  vkCmdPipelineBarrier(c, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT, 0, 0, NULL, 0, NULL, 1, &barrier);
  vkCmdCopyBufferToImage(c, texels, image, VK_IMAGE_LAYOUT_GENERAL, levels, copies);
  end(c);

  VkImageViewCreateInfo vi = {VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO, .image = image, .viewType = type, .format = code, .subresourceRange = all};
  TRY(vkCreateImageView(device, &vi, NULL, &info->imageView));
  int linear = !strcmp(filter, "linear"), compare = lookup(compares, option), border = lookup(borders, option);
  VkSamplerCreateInfo si = {VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO, .magFilter = linear, .minFilter = linear, .mipmapMode = !strcmp(mip, "linear"),
                            .addressModeU = lookup(wraps, wrap[0]), .addressModeV = lookup(wraps, wrap[1]), .addressModeW = lookup(wraps, wrap[2]),
                            .compareEnable = compare >= 0, .compareOp = compare < 0 ? 0 : compare,
                            // the odd codes are those of integers
                            .borderColor = border < 0 ? 0 : border + (code == VK_FORMAT_R16G16B16A16_UINT),
                            .unnormalizedCoordinates = !strcmp(option, "texels"), .maxLod = strcmp(option, "texels") ? 15 : 0};
  TRY(vkCreateSampler(device, &si, NULL, &info->sampler));
  info->imageLayout = VK_IMAGE_LAYOUT_GENERAL;
  return binding;
}

int main(int argc, char **argv) {
  static uint32_t code[1 << 16];
  FILE *f = argc == 4 ? fopen(argv[1], "rb") : NULL, *pictures = argc == 4 ? fopen(argv[2], "r") : NULL;
  if (!f || !pictures) return 2;
  size_t size = fread(code, 1, sizeof code, f), words = atoi(argv[3]);

  VkApplicationInfo app = {VK_STRUCTURE_TYPE_APPLICATION_INFO, .apiVersion = VK_API_VERSION_1_1};
  VkInstanceCreateInfo ici = {VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO, .pApplicationInfo = &app};
  VkInstance instance;
  TRY(vkCreateInstance(&ici, NULL, &instance));
  uint32_t count = 1;
  vkEnumeratePhysicalDevices(instance, &count, &gpu);
  if (count == 0) return 1;
  float priority = 1;
  VkDeviceQueueCreateInfo qci = {VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, .queueCount = 1, .pQueuePriorities = &priority};
  VkPhysicalDeviceFeatures features = {.imageCubeArray = VK_TRUE, .shaderImageGatherExtended = VK_TRUE};
  const char *once = VK_KHR_SAMPLER_MIRROR_CLAMP_TO_EDGE_EXTENSION_NAME;
  VkDeviceCreateInfo dci = {VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, .queueCreateInfoCount = 1, .pQueueCreateInfos = &qci, .enabledExtensionCount = 1,
                            .ppEnabledExtensionNames = &once, .pEnabledFeatures = &features};
  TRY(vkCreateDevice(gpu, &dci, NULL, &device));
  vkGetDeviceQueue(device, 0, 0, &queue);
  VkCommandPoolCreateInfo pci = {VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
  TRY(vkCreateCommandPool(device, &pci, NULL, &pool));

  VkDescriptorSetLayoutBinding bindings[2 + maxPictures] = {{0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT},
                                                            {1, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT}};
  VkDescriptorBufferInfo buffers[2] = {{.range = VK_WHOLE_SIZE}, {.range = VK_WHOLE_SIZE}};
  VkDescriptorImageInfo images[maxPictures];
  uint32_t *out, *in, x = 0, n = 0;
  buffers[0].buffer = buffer(4 * words, (void **)&out);
  buffers[1].buffer = buffer(4 * inputs, (void **)&in);
  for (int i = 0; i < inputs; i++) in[i] = noise(&x);
  char line[200];
  while (fgets(line, sizeof line, pictures)) {
    if (line[0] == '#') continue;
    if (n == maxPictures) return 2;
    uint32_t b = picture(line, &images[n]);
    bindings[2 + n++] = (VkDescriptorSetLayoutBinding){b, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 1, VK_SHADER_STAGE_COMPUTE_BIT};
  }

  VkDescriptorSetLayoutCreateInfo sci = {VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO, .bindingCount = 2 + n, .pBindings = bindings};
  VkDescriptorSetLayout setLayout;
  TRY(vkCreateDescriptorSetLayout(device, &sci, NULL, &setLayout));
  VkPushConstantRange push = {VK_SHADER_STAGE_COMPUTE_BIT, 0, 32};
  VkPipelineLayoutCreateInfo lci = {VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO, .setLayoutCount = 1, .pSetLayouts = &setLayout,
                                    .pushConstantRangeCount = 1, .pPushConstantRanges = &push};
  VkPipelineLayout layout;
  TRY(vkCreatePipelineLayout(device, &lci, NULL, &layout));
  VkDescriptorPoolSize sizes[] = {{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 2}, {VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, maxPictures}};
  VkDescriptorPoolCreateInfo dpi = {VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO, .maxSets = 1, .poolSizeCount = 2, .pPoolSizes = sizes};
  VkDescriptorPool descriptors;
  TRY(vkCreateDescriptorPool(device, &dpi, NULL, &descriptors));
  VkDescriptorSetAllocateInfo dai = {VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO, .descriptorPool = descriptors, .descriptorSetCount = 1,
                                     .pSetLayouts = &setLayout};
  VkDescriptorSet set;
  TRY(vkAllocateDescriptorSets(device, &dai, &set));
  for (uint32_t i = 0; i < 2 + n; i++) {
    VkWriteDescriptorSet w = {VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET, .dstSet = set, .dstBinding = bindings[i].binding, .descriptorCount = 1,
                              .descriptorType = bindings[i].descriptorType};
    if (i < 2)
      w.pBufferInfo = &buffers[i];
    else
      w.pImageInfo = &images[i - 2];
    vkUpdateDescriptorSets(device, 1, &w, 0, NULL);
  }

  VkShaderModuleCreateInfo mci = {VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, .codeSize = size, .pCode = code};
  VkShaderModule module;
  TRY(vkCreateShaderModule(device, &mci, NULL, &module));
  VkComputePipelineCreateInfo cci = {VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
                                     .stage = {VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO, .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                                               .module = module, .pName = "main"},
                                     .layout = layout};
  VkPipeline pipeline;
  TRY(vkCreateComputePipelines(device, VK_NULL_HANDLE, 1, &cci, NULL, &pipeline));
  VkCommandBuffer c = begin();
  vkCmdBindPipeline(c, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
  vkCmdBindDescriptorSets(c, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &set, 0, NULL);
  vkCmdDispatch(c, 1, 1, 1);
  end(c);
  for (size_t i = 0; i < words; i++) printf("%08x%c", out[i], i % 4 == 3 ? '\n' : ' ');
  return 0;
}
