// Creates one compute pipeline from SPIR-V, so that the driver compiles it.
//   pipeline FILE.spv
// Bindings 0 to 2 are storage buffers, 3 and 4 texel buffers, 5 to 8 storage images, 9 to
// 16 images with a sampler; 32 bytes of push constants.
#include <stdio.h>
#include <stdlib.h>
#include <vulkan/vulkan.h>

#define TRY(call)                                                   \
  do {                                                              \
    VkResult r = call;                                              \
    if (r != VK_SUCCESS) {                                          \
      fprintf(stderr, "pipeline: %s gives %d\n", #call, r);         \
      return 1;                                                     \
    }                                                               \
  } while (0)

int main(int argc, char **argv) {
  static uint32_t code[1 << 16];
  FILE *f = argc == 2 ? fopen(argv[1], "rb") : NULL;
  if (!f) return 2;
  size_t size = fread(code, 1, sizeof code, f);

  VkApplicationInfo app = {VK_STRUCTURE_TYPE_APPLICATION_INFO, .apiVersion = VK_API_VERSION_1_1};
  VkInstanceCreateInfo ici = {VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO, .pApplicationInfo = &app};
  VkInstance instance;
  TRY(vkCreateInstance(&ici, NULL, &instance));
  uint32_t count = 1;
  VkPhysicalDevice gpu;
  vkEnumeratePhysicalDevices(instance, &count, &gpu);
  if (count == 0) return 1;
  VkPhysicalDeviceProperties p;
  vkGetPhysicalDeviceProperties(gpu, &p);
  fprintf(stderr, "%s\n", p.deviceName);
  float priority = 1;
  VkDeviceQueueCreateInfo qci = {VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, .queueCount = 1, .pQueuePriorities = &priority};
  VkPhysicalDeviceFeatures features = {.shaderInt64 = VK_TRUE, .shaderFloat64 = VK_TRUE, .imageCubeArray = VK_TRUE, .shaderImageGatherExtended = VK_TRUE, .shaderStorageImageWriteWithoutFormat = VK_TRUE};
  const char *extension = VK_NV_COMPUTE_SHADER_DERIVATIVES_EXTENSION_NAME;
  VkPhysicalDeviceComputeShaderDerivativesFeaturesNV derivatives = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COMPUTE_SHADER_DERIVATIVES_FEATURES_NV,
                                                                    .computeDerivativeGroupLinear = VK_TRUE};
  VkDeviceCreateInfo dci = {VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, .pNext = &derivatives, .enabledExtensionCount = 1, .ppEnabledExtensionNames = &extension, .queueCreateInfoCount = 1, .pQueueCreateInfos = &qci, .pEnabledFeatures = &features};
  VkDevice device;
  TRY(vkCreateDevice(gpu, &dci, NULL, &device));

  VkDescriptorSetLayoutBinding bindings[17];
  for (uint32_t i = 0; i < 17; i++)
    bindings[i] = (VkDescriptorSetLayoutBinding){i,
                                                 i < 3    ? VK_DESCRIPTOR_TYPE_STORAGE_BUFFER
                                                 : i == 3 ? VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER
                                                 : i == 4 ? VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER
                                                 : i < 9  ? VK_DESCRIPTOR_TYPE_STORAGE_IMAGE
                                                          : VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER,
                                                 1, VK_SHADER_STAGE_COMPUTE_BIT};
  VkDescriptorSetLayoutCreateInfo sci = {VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO, .bindingCount = 17, .pBindings = bindings};
  VkDescriptorSetLayout set;
  TRY(vkCreateDescriptorSetLayout(device, &sci, NULL, &set));
  VkPushConstantRange push = {VK_SHADER_STAGE_COMPUTE_BIT, 0, 32};
  VkPipelineLayoutCreateInfo lci = {VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO, .setLayoutCount = 1, .pSetLayouts = &set,
                                    .pushConstantRangeCount = 1, .pPushConstantRanges = &push};
  VkPipelineLayout layout;
  TRY(vkCreatePipelineLayout(device, &lci, NULL, &layout));
  VkShaderModuleCreateInfo mci = {VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, .codeSize = size, .pCode = code};
  VkShaderModule module;
  TRY(vkCreateShaderModule(device, &mci, NULL, &module));
  VkComputePipelineCreateInfo cci = {VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
                                     .stage = {VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO, .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                                               .module = module, .pName = "main"},
                                     .layout = layout};
  VkPipeline pipeline;
  TRY(vkCreateComputePipelines(device, VK_NULL_HANDLE, 1, &cci, NULL, &pipeline));
  return 0;
}
