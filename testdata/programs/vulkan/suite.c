// suite DIR [NAME...] runs compute work on the first Vulkan device and prints what it left,
// a line a test: its name, what its words are, how far floats may be off another device's,
// and the words. DIR holds the shaders. With names, only tests that begin with one run.
#include "vk.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char **wanted;
static int wanted_count;

static bool wants(const char *name) {
	for (int i = 0; i < wanted_count; i++)
		if (!strncmp(name, wanted[i], strlen(wanted[i]))) return true;
	return wanted_count == 0;
}

static void skip(const char *name, const char *why) { printf("%s skipped: the device has no %s\n", name, why); }

// report prints words: exactly if off is 0, else as floats that may be off by so much, of
// their size if that is more than 1.
static void report(const char *name, double off, const uint32_t *words, uint32_t n) {
	printf("%s %s %g", name, off > 0 ? "float" : "word", off);
	for (uint32_t i = 0; i < n; i++) printf(" %x", words[i]);
	printf("\n");
	fflush(stdout);
	vk_unbind();
}

static uint32_t seed;
static uint32_t next_random(void) {
	seed += 0x9e3779b9u;
	uint32_t x = seed;
	x = (x ^ x >> 16) * 0x85ebca6bu;
	x = (x ^ x >> 13) * 0xc2b2ae35u;
	return x ^ x >> 16;
}

static uint32_t bits(float f) {
	uint32_t u;
	memcpy(&u, &f, 4);
	return u;
}

// small_float is a multiple of 1/256 from -8 to 8 but 0.
static uint32_t small_float(void) { return bits((float)((int)(next_random() % 4096) * 2 - 4095) / 512); }

// compute runs a shader on 64 n work-items; out has size words, in is filled by fill.
typedef struct {
	const char *name;
	uint32_t groups, words, in_words;
	uint32_t (*fill)(void);
	double off;
	bool (*has)(void);
	const char *lacks;
	bool counts_errors; // the words of a device that is right are 0
} Compute;

static bool has_wide(void) { return features.features.shaderInt64 && features.features.shaderFloat64; }
static bool has_narrow(void) { return features12.storageBuffer8BitAccess && features11.storageBuffer16BitAccess; }
static bool has_small(void) { return features.features.shaderInt16; }
static bool has_halves(void) { return features12.shaderFloat16; }
static bool has_subgroups(void) { return (subgroups.supportedOperations & 0xff) == 0xff; }

static const Compute computes[] = {
	{"integers", 8, 8 * 64 * 24, 8 * 64 * 2, next_random, 0, NULL, NULL},
	{"floats", 8, 8 * 64 * 24, 8 * 64 * 2, small_float, 2e-5, NULL, NULL},
	{"wide", 4, 4 * 64 * 32, 4 * 64 * 2, next_random, 0, has_wide, "64-bit types"},
	{"narrow", 4, 4 * 64 * 4, 4 * 64 * 2, next_random, 0, has_narrow, "8- and 16-bit storage"},
	{"small", 4, 4 * 64 * 6, 4 * 64, next_random, 0, has_small, "16-bit integers"},
	{"halves", 4, 4 * 64 * 6, 4 * 64, next_random, 0, has_halves, "16-bit floats"},
	{"atomics", 16, 128 + 2 * 16 * 64, 1, next_random, 0, NULL, NULL},
	{"subgroups", 4, 4 * 64, 1, next_random, 0, has_subgroups, "subgroup operations of all kinds", true},
	{"lds", 1, 8192, 8192, next_random, 0, NULL, NULL},
	{"scratch", 8, 8 * 64, 1, next_random, 0, NULL, NULL},
};

static void run_compute(const Compute *t) {
	if (!wants(t->name)) return;
	if (t->has && !t->has()) {
		if (t->counts_errors) { // the answer is known
			uint32_t *none = must(calloc(t->words, 4));
			report(t->name, 0, none, t->words);
			free(none);
		} else skip(t->name, t->lacks);
		return;
	}
	seed = 1;
	Buffer out = buffer_new(4 * t->words), in = buffer_new(4 * t->in_words);
	for (uint32_t i = 0; i < t->in_words; i++) ((uint32_t *)in.data)[i] = t->fill();
	if (!strcmp(t->name, "atomics")) ((uint32_t *)out.data)[1] = ((uint32_t *)out.data)[3] = ~0u;
	Pipeline p = pipeline_new(t->name, NULL);
	bind_buffer(OUT, &out);
	bind_buffer(IN, &in);
	begin();
	bind_pipeline(&p, NULL, 0);
	label(t->name);
	vkCmdDispatch(cmd, t->groups, 1, 1);
	label(NULL);
	submit();
	report(t->name, t->off, out.data, t->words);
	pipeline_free(&p);
	buffer_free(&in);
	buffer_free(&out);
}

// dispatches: sizes of work-groups given by specialization, direct, from a base, indirect.
static void test_dispatches(void) {
	if (!wants("dispatches")) return;
	const uint32_t spec[] = {8, 4, 3};
	const VkSpecializationMapEntry entries[] = {{0, 0, 4}, {1, 4, 4}, {2, 8, 4}};
	const VkSpecializationInfo info = {3, entries, sizeof spec, spec};
	Buffer out = buffer_new(4 * 64 * 32 * 8), sizes = buffer_new(64);
	memcpy((char *)sizes.data + 16, (uint32_t[]){3, 2, 1}, 12);
	Pipeline p = pipeline_new("ids", &info);
	bind_buffer(OUT, &out);
	const uint32_t push[8] = {0, 5, 0, 0, 0, 0, 0, 9};
	begin();
	bind_pipeline(&p, push, sizeof push);
	vkCmdDispatch(cmd, 5, 3, 2);
	barrier();
	vkCmdDispatchIndirect(cmd, sizes.buffer, 16);
	barrier();
	vkCmdDispatch(cmd, 0, 1, 1);
	vkCmdDispatchBase(cmd, 2, 1, 1, 3, 4, 2);
	submit();
	report("dispatches", 0, out.data, 64 * 32 * 8);
	pipeline_free(&p);
	buffer_free(&sizes);
	buffer_free(&out);
}

// robust: accesses beyond buffers, and a uniform block.
static void test_robust(void) {
	if (!wants("robust")) return;
	Buffer out = buffer_new(4 * 2 * 256), in = buffer_new(4 * 50000), u = buffer_new(64 + 16 + 12 * 16);
	seed = 3;
	for (uint32_t i = 0; i < 50000; i++) ((uint32_t *)in.data)[i] = next_random();
	for (uint32_t i = 0; i < u.size / 4; i++) ((uint32_t *)u.data)[i] = i < 20 ? bits((float)(next_random() % 64)) : next_random();
	Pipeline p = pipeline_new("robust", NULL);
	bind_buffer(OUT, &out);
	bind_buffer(IN, &in);
	bind_buffer(UNIFORMS, &u);
	begin();
	bind_pipeline(&p, NULL, 0);
	vkCmdDispatch(cmd, 4, 1, 1);
	submit();
	report("robust", 0, out.data, 512);
	pipeline_free(&p);
	buffer_free(&u);
	buffer_free(&in);
	buffer_free(&out);
}

// queues: two queues take turns, a timeline semaphore says whose; the host waits and signals.
static void test_queues(void) {
	if (!wants("queues")) return;
	if (!features12.timelineSemaphore) {
		skip("queues", "timeline semaphores");
		return;
	}
	enum { STEPS = 8 };
	Buffer out = buffer_new(4 * 64);
	Pipeline p = pipeline_new("add", NULL);
	bind_buffer(OUT, &out);
	VkSemaphoreTypeCreateInfo type = {VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO, .semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE};
	VkSemaphoreCreateInfo semaphore_info = {VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, .pNext = &type};
	VkSemaphore semaphore;
	CHECK(vkCreateSemaphore(device, &semaphore_info, NULL, &semaphore));
	VkCommandPool pool;
	VkCommandBuffer all[STEPS], first = cmd;
	const VkCommandPoolCreateInfo pool_info = {VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO, .queueFamilyIndex = family};
	CHECK(vkCreateCommandPool(device, &pool_info, NULL, &pool));
	const VkCommandBufferAllocateInfo all_info = {VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, .commandPool = pool, .commandBufferCount = STEPS};
	CHECK(vkAllocateCommandBuffers(device, &all_info, all));
	for (int i = 0; i < STEPS; i++) {
		const int push[8] = {i + 1};
		cmd = all[i];
		begin();
		bind_pipeline(&p, push, sizeof push);
		vkCmdDispatch(cmd, 1, 1, 1);
		barrier();
		CHECK(vkEndCommandBuffer(cmd));
		const uint64_t wait = i + 1, signal = i + 2;
		const VkTimelineSemaphoreSubmitInfo values = {VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO, NULL, 1, &wait, 1, &signal};
		const VkPipelineStageFlags stage = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
		const VkSubmitInfo submit_info = {VK_STRUCTURE_TYPE_SUBMIT_INFO, &values, 1, &semaphore, &stage, 1, &cmd, 1, &semaphore};
		CHECK(vkQueueSubmit(queues[i % 2], 1, &submit_info, VK_NULL_HANDLE));
	}
	const VkSemaphoreSignalInfo go = {VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO, NULL, semaphore, 1};
	CHECK(vkSignalSemaphore(device, &go));
	const uint64_t last = STEPS + 1;
	const VkSemaphoreWaitInfo wait = {VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO, .semaphoreCount = 1, .pSemaphores = &semaphore, .pValues = &last};
	CHECK(vkWaitSemaphores(device, &wait, 20000000000u));
	CHECK(vkDeviceWaitIdle(device));
	report("queues", 0, out.data, 64);
	cmd = first;
	vkDestroyCommandPool(device, pool, NULL);
	vkDestroySemaphore(device, semaphore, NULL);
	pipeline_free(&p);
	buffer_free(&out);
}

// times: timestamps grow, queries are copied and reset, events are set and waited for.
static void test_times(void) {
	if (!wants("times")) return;
	Buffer out = buffer_new(4 * 64), stamps = buffer_new(32);
	Pipeline p = pipeline_new("add", NULL);
	bind_buffer(OUT, &out);
	const VkQueryPoolCreateInfo info = {VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO, .queryType = VK_QUERY_TYPE_TIMESTAMP, .queryCount = 4};
	VkQueryPool pool;
	CHECK(vkCreateQueryPool(device, &info, NULL, &pool));
	const VkEventCreateInfo event_info = {VK_STRUCTURE_TYPE_EVENT_CREATE_INFO};
	VkEvent event;
	CHECK(vkCreateEvent(device, &event_info, NULL, &event));
	const int push[8] = {1};
	begin();
	vkCmdResetQueryPool(cmd, pool, 0, 4);
	vkCmdWriteTimestamp(cmd, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT, pool, 0);
	bind_pipeline(&p, push, sizeof push);
	vkCmdDispatch(cmd, 1, 1, 1);
	vkCmdSetEvent(cmd, event, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT);
	vkCmdWaitEvents(cmd, 1, &event, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, NULL, 0, NULL, 0, NULL);
	vkCmdWriteTimestamp(cmd, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, pool, 1);
	vkCmdDispatch(cmd, 1, 1, 1);
	vkCmdWriteTimestamp(cmd, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, pool, 2);
	vkCmdCopyQueryPoolResults(cmd, pool, 0, 3, stamps.buffer, 0, 8, VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT);
	submit();
	uint64_t t[3];
	CHECK(vkGetQueryPoolResults(device, pool, 0, 3, sizeof t, t, 8, VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT));
	const uint32_t words[] = {t[0] <= t[1] && t[1] <= t[2] && t[0] < t[2], !memcmp(t, stamps.data, sizeof t), vkGetEventStatus(device, event) == VK_EVENT_SET};
	report("times", 0, words, 3);
	vkDestroyEvent(device, event, NULL);
	vkDestroyQueryPool(device, pool, NULL);
	pipeline_free(&p);
	buffer_free(&stamps);
	buffer_free(&out);
}

// transfers: fills, updates and copies of buffers.
static void test_transfers(void) {
	if (!wants("transfers")) return;
	Buffer a = buffer_new(1 << 16), b = buffer_new(1 << 16);
	seed = 4;
	for (uint32_t i = 0; i < a.size / 4; i++) ((uint32_t *)a.data)[i] = next_random();
	const uint32_t update[] = {1, 2, 3, 4, 5};
	const VkBufferCopy copies[] = {{3, 4097, 777}, {8192, 16384, 8192}, {1, 40001, 2}};
	begin();
	vkCmdFillBuffer(cmd, b.buffer, 256, 2048, 0xdeadbeef);
	vkCmdFillBuffer(cmd, b.buffer, 60000, VK_WHOLE_SIZE, 0x01020304);
	vkCmdUpdateBuffer(cmd, b.buffer, 3000, sizeof update, update);
	barrier();
	vkCmdCopyBuffer(cmd, a.buffer, b.buffer, 3, copies);
	submit();
	report("transfers", 0, b.data, b.size / 4);
	buffer_free(&b);
	buffer_free(&a);
}

// Fills of texels, so that no float is NaN or infinite.
typedef struct {
	VkFormat format;
	const char *name;
	uint32_t bytes, block; // of a block of texels a side
	uint32_t mask;         // of random words
	int kind;              // as in kind.glsl
	double off;            // of a load
} Format;

#define F(f) VK_FORMAT_##f, #f
static const Format formats[] = {
	{F(R8_UNORM), 1, 1, ~0u, 0, 1e-6}, {F(R8_SNORM), 1, 1, ~0u, 0, 1e-6}, {F(R8_UINT), 1, 1, ~0u, 2, 0}, {F(R8_SINT), 1, 1, ~0u, 1, 0},
	{F(R8G8_UNORM), 2, 1, ~0u, 0, 1e-6}, {F(R8G8_SINT), 2, 1, ~0u, 1, 0},
	{F(R8G8B8A8_UNORM), 4, 1, ~0u, 0, 1e-6}, {F(R8G8B8A8_SNORM), 4, 1, ~0u, 0, 1e-6}, {F(R8G8B8A8_UINT), 4, 1, ~0u, 2, 0}, {F(R8G8B8A8_SINT), 4, 1, ~0u, 1, 0},
	{F(R8G8B8A8_SRGB), 4, 1, ~0u, 0, 2e-3}, {F(B8G8R8A8_UNORM), 4, 1, ~0u, 0, 1e-6}, {F(B8G8R8A8_SRGB), 4, 1, ~0u, 0, 2e-3},
	{F(A2B10G10R10_UNORM_PACK32), 4, 1, ~0u, 0, 1e-6}, {F(A2B10G10R10_UINT_PACK32), 4, 1, ~0u, 2, 0},
	{F(R5G6B5_UNORM_PACK16), 2, 1, ~0u, 0, 1e-6}, {F(A1R5G5B5_UNORM_PACK16), 2, 1, ~0u, 0, 1e-6}, {F(R4G4B4A4_UNORM_PACK16), 2, 1, ~0u, 0, 1e-6},
	{F(R16_UNORM), 2, 1, ~0u, 0, 1e-6}, {F(R16_SNORM), 2, 1, ~0u, 0, 1e-6}, {F(R16_UINT), 2, 1, ~0u, 2, 0}, {F(R16_SFLOAT), 2, 1, 0xbfffbfff, 0, 1e-6},
	{F(R16G16_SINT), 4, 1, ~0u, 1, 0}, {F(R16G16_SFLOAT), 4, 1, 0xbfffbfff, 0, 1e-6}, {F(R16G16_UNORM), 4, 1, ~0u, 0, 1e-6},
	{F(R16G16B16A16_UNORM), 8, 1, ~0u, 0, 1e-6}, {F(R16G16B16A16_UINT), 8, 1, ~0u, 2, 0}, {F(R16G16B16A16_SFLOAT), 8, 1, 0xbfffbfff, 0, 1e-6},
	{F(R32_UINT), 4, 1, ~0u, 2, 0}, {F(R32_SINT), 4, 1, ~0u, 1, 0}, {F(R32_SFLOAT), 4, 1, 0xbfffffff, 0, 1e-6},
	{F(R32G32_UINT), 8, 1, ~0u, 2, 0}, {F(R32G32_SFLOAT), 8, 1, 0xbfffffff, 0, 1e-6},
	{F(R32G32B32A32_UINT), 16, 1, ~0u, 2, 0}, {F(R32G32B32A32_SINT), 16, 1, ~0u, 1, 0}, {F(R32G32B32A32_SFLOAT), 16, 1, 0xbfffffff, 0, 1e-6},
	{F(B10G11R11_UFLOAT_PACK32), 4, 1, 0x7fdffbff, 0, 1e-6}, {F(E5B9G9R9_UFLOAT_PACK32), 4, 1, 0xbfffffff, 0, 1e-6},
	{F(BC1_RGBA_UNORM_BLOCK), 8, 4, ~0u, 0, 5e-3}, {F(BC2_UNORM_BLOCK), 16, 4, ~0u, 0, 5e-3}, {F(BC3_SRGB_BLOCK), 16, 4, ~0u, 0, 8e-3},
	{F(BC4_UNORM_BLOCK), 8, 4, ~0u, 0, 5e-3}, {F(BC4_SNORM_BLOCK), 8, 4, ~0u, 0, 9e-3}, {F(BC5_UNORM_BLOCK), 16, 4, ~0u, 0, 5e-3},
	{F(BC7_UNORM_BLOCK), 16, 4, ~0u, 0, 5e-3},
	{F(D16_UNORM), 2, 1, ~0u, 0, 1e-6}, {F(D32_SFLOAT), 4, 1, 0x3f7fffff, 0, 1e-6},
};
enum { FORMATS = sizeof formats / sizeof *formats };

// Kinds of images, each with a size that is no power of two where that tells.
typedef struct {
	const char *name;
	VkImageType type;
	VkImageViewType view;
	uint32_t w, h, d, layers, levels;
} Shape;

static const Shape shapes[] = {
	{"1D", VK_IMAGE_TYPE_1D, VK_IMAGE_VIEW_TYPE_1D, 93, 1, 1, 1, 4},
	{"1DArray", VK_IMAGE_TYPE_1D, VK_IMAGE_VIEW_TYPE_1D_ARRAY, 40, 1, 1, 5, 3},
	{"2D", VK_IMAGE_TYPE_2D, VK_IMAGE_VIEW_TYPE_2D, 52, 36, 1, 1, 6},
	{"2DArray", VK_IMAGE_TYPE_2D, VK_IMAGE_VIEW_TYPE_2D_ARRAY, 24, 20, 1, 6, 4},
	{"3D", VK_IMAGE_TYPE_3D, VK_IMAGE_VIEW_TYPE_3D, 20, 12, 9, 1, 3},
};
enum { SHAPES = sizeof shapes / sizeof *shapes };

static uint32_t minify(uint32_t n, uint32_t level) { return n >> level ? n >> level : 1; }

static VkImageCreateInfo info_of(const Shape *s, const Format *f, VkImageUsageFlags usage) {
	return (VkImageCreateInfo){VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO, .imageType = s->type, .format = f->format, .extent = {s->w, s->h, s->d}, .mipLevels = s->levels,
		.arrayLayers = s->layers, .samples = VK_SAMPLE_COUNT_1_BIT, .tiling = VK_IMAGE_TILING_OPTIMAL, .usage = usage | VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT,
		.flags = s->view == VK_IMAGE_VIEW_TYPE_CUBE || s->view == VK_IMAGE_VIEW_TYPE_CUBE_ARRAY ? VK_IMAGE_CREATE_CUBE_COMPATIBLE_BIT : 0};
}

// regions lists a copy of each level, one behind the other, and returns the bytes of all.
static VkDeviceSize regions(const Shape *s, const Format *f, VkBufferImageCopy *all) {
	VkDeviceSize at = 0;
	for (uint32_t l = 0; l < s->levels; l++) {
		const VkExtent3D e = {minify(s->w, l), minify(s->h, l), minify(s->d, l)};
		all[l] = (VkBufferImageCopy){at, 0, 0, {aspect_of(f->format), l, 0, s->layers}, {0, 0, 0}, e};
		const VkDeviceSize across = (e.width + f->block - 1) / f->block, down = (e.height + f->block - 1) / f->block;
		at += (across * down * e.depth * s->layers * f->bytes + 15) / 16 * 16;
	}
	return at;
}

// filled returns an image with random texels.
static Image filled(const Shape *s, const Format *f, VkImageUsageFlags usage) {
	const VkImageCreateInfo info = info_of(s, f, usage);
	Image image = image_new(&info, s->view);
	VkBufferImageCopy copies[16];
	const VkDeviceSize size = regions(s, f, copies);
	Buffer data = buffer_new(size);
	seed = 5;
	for (uint32_t i = 0; i < size / 4; i++) ((uint32_t *)data.data)[i] = next_random() & f->mask;
	begin();
	image_barrier(image.image, aspect_of(f->format), VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_GENERAL);
	vkCmdCopyBufferToImage(cmd, data.buffer, image.image, VK_IMAGE_LAYOUT_GENERAL, s->levels, copies);
	image_barrier(image.image, aspect_of(f->format), VK_IMAGE_LAYOUT_GENERAL, VK_IMAGE_LAYOUT_GENERAL);
	submit();
	buffer_free(&data);
	return image;
}

static VkSampler sampler_new(const VkSamplerCreateInfo *info) {
	VkSampler s;
	CHECK(vkCreateSampler(device, info, NULL, &s));
	return s;
}

// fetch: copies to images of each shape and format, loads of all texels of all levels, copies back.
static void test_fetch(const Shape *s, const Format *f) {
	char name[64], shader[32];
	snprintf(name, sizeof name, "fetch.%s.%s", s->name, f->name);
	const VkImageCreateInfo info = info_of(s, f, VK_IMAGE_USAGE_SAMPLED_BIT);
	const bool flat = f->block > 1 || aspect_of(f->format) == VK_IMAGE_ASPECT_DEPTH_BIT;
	if (!wants(name) || (flat && s->type != VK_IMAGE_TYPE_2D)) return;
	if (!image_supported(&info, VK_FORMAT_FEATURE_SAMPLED_IMAGE_BIT | VK_FORMAT_FEATURE_TRANSFER_SRC_BIT | VK_FORMAT_FEATURE_TRANSFER_DST_BIT)) {
		skip(name, "such images");
		return;
	}
	Image image = filled(s, f, VK_IMAGE_USAGE_SAMPLED_BIT);
	const VkSamplerCreateInfo plain = {VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO, .maxLod = 16};
	VkSampler sampler = sampler_new(&plain);
	uint32_t texels = 0;
	for (uint32_t l = 0; l < s->levels; l++) texels += minify(s->w, l) * minify(s->h, l) * minify(s->d, l) * s->layers;
	VkBufferImageCopy copies[16];
	const VkDeviceSize size = regions(s, f, copies);
	Buffer out = buffer_new(16 * texels), back = buffer_new(size);
	snprintf(shader, sizeof shader, "fetch%s%d", s->name, f->kind);
	Pipeline p = pipeline_new(shader, NULL);
	bind_buffer(OUT, &out);
	bind_texture(&image, sampler);
	begin();
	uint32_t at = 0;
	for (uint32_t l = 0; l < s->levels; l++) {
		uint32_t x = minify(s->w, l), y = minify(s->h, l), z = minify(s->d, l) * s->layers;
		if (s->type == VK_IMAGE_TYPE_1D) y = z, z = 1;
		const uint32_t push[8] = {x, y, z, l, 4 * at};
		bind_pipeline(&p, push, sizeof push);
		vkCmdDispatch(cmd, (x * y * z + 63) / 64, 1, 1);
		at += x * y * z;
	}
	vkCmdCopyImageToBuffer(cmd, image.image, VK_IMAGE_LAYOUT_GENERAL, back.buffer, s->levels, copies);
	submit();
	report(name, f->off, out.data, 4 * texels);
	snprintf(name, sizeof name, "copy.%s.%s", s->name, f->name);
	report(name, 0, back.data, back.size / 4);
	pipeline_free(&p);
	buffer_free(&back);
	buffer_free(&out);
	vkDestroySampler(device, sampler, NULL);
	image_free(&image);
}

// store: stores to images of each shape and format, which are then loaded.
static void test_store(const Shape *s, const Format *f) {
	char name[64], shader[32];
	snprintf(name, sizeof name, "store.%s.%s", s->name, f->name);
	if (!wants(name) || f->block > 1 || aspect_of(f->format) == VK_IMAGE_ASPECT_DEPTH_BIT) return;
	Shape one = *s;
	one.levels = 1;
	const VkImageCreateInfo info = info_of(&one, f, VK_IMAGE_USAGE_STORAGE_BIT | VK_IMAGE_USAGE_SAMPLED_BIT);
	if (!features.features.shaderStorageImageWriteWithoutFormat || !image_supported(&info, VK_FORMAT_FEATURE_STORAGE_IMAGE_BIT | VK_FORMAT_FEATURE_SAMPLED_IMAGE_BIT)) {
		skip(name, "such storage images");
		return;
	}
	Image image = image_new(&info, s->view);
	uint32_t x = s->w, y = s->h, z = s->d * s->layers;
	if (s->type == VK_IMAGE_TYPE_1D) y = z, z = 1;
	Buffer out = buffer_new(16 * x * y * z);
	snprintf(shader, sizeof shader, "store%s%d", s->name, f->kind);
	Pipeline store = pipeline_new(shader, NULL);
	snprintf(shader, sizeof shader, "fetch%s%d", s->name, f->kind);
	Pipeline fetch = pipeline_new(shader, NULL);
	const VkSamplerCreateInfo plain = {VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO};
	VkSampler sampler = sampler_new(&plain);
	bind_buffer(OUT, &out);
	bind_storage(&image);
	bind_texture(&image, sampler);
	const uint32_t push[8] = {x, y, z, 0, 0};
	begin();
	image_barrier(image.image, aspect_of(f->format), VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_GENERAL);
	bind_pipeline(&store, push, sizeof push);
	vkCmdDispatch(cmd, (x * y * z + 63) / 64, 1, 1);
	image_barrier(image.image, aspect_of(f->format), VK_IMAGE_LAYOUT_GENERAL, VK_IMAGE_LAYOUT_GENERAL);
	bind_pipeline(&fetch, push, sizeof push);
	vkCmdDispatch(cmd, (x * y * z + 63) / 64, 1, 1);
	submit();
	report(name, f->off ? 0.02 : 0, out.data, 4 * x * y * z);
	vkDestroySampler(device, sampler, NULL);
	pipeline_free(&store);
	pipeline_free(&fetch);
	buffer_free(&out);
	image_free(&image);
}

// texels: texel buffers of each format.
static void test_texels(const Format *f) {
	char name[64], shader[32];
	snprintf(name, sizeof name, "texels.%s", f->name);
	if (!wants(name)) return;
	VkFormatProperties have;
	vkGetPhysicalDeviceFormatProperties(gpu, f->format, &have);
	if (f->block > 1 || aspect_of(f->format) == VK_IMAGE_ASPECT_DEPTH_BIT) return;
	if (!(have.bufferFeatures & VK_FORMAT_FEATURE_UNIFORM_TEXEL_BUFFER_BIT)) {
		skip(name, "such texel buffers");
		return;
	}
	const bool stores = have.bufferFeatures & VK_FORMAT_FEATURE_STORAGE_TEXEL_BUFFER_BIT;
	enum { TEXELS = 192 };
	Buffer from = buffer_new(TEXELS * f->bytes), to = buffer_new(TEXELS * f->bytes), out = buffer_new(16 * TEXELS);
	seed = 6;
	for (uint32_t i = 0; i < from.size / 4; i++) ((uint32_t *)from.data)[i] = next_random() & f->mask;
	VkBufferView views[2];
	VkBufferViewCreateInfo info = {VK_STRUCTURE_TYPE_BUFFER_VIEW_CREATE_INFO, .buffer = from.buffer, .format = f->format, .range = VK_WHOLE_SIZE};
	CHECK(vkCreateBufferView(device, &info, NULL, &views[0]));
	info.buffer = to.buffer;
	if (!stores) info.format = VK_FORMAT_R32_UINT;
	CHECK(vkCreateBufferView(device, &info, NULL, &views[1]));
	snprintf(shader, sizeof shader, "texels%d", f->kind);
	Pipeline p = pipeline_new(shader, NULL);
	bind_buffer(OUT, &out);
	bind_texels(UNIFORM_TEXELS, views[0]);
	bind_texels(STORAGE_TEXELS, views[1]);
	const uint32_t push[8] = {stores};
	begin();
	bind_pipeline(&p, push, sizeof push);
	vkCmdDispatch(cmd, TEXELS / 64, 1, 1);
	submit();
	report(name, f->off, out.data, 4 * TEXELS);
	pipeline_free(&p);
	vkDestroyBufferView(device, views[0], NULL);
	vkDestroyBufferView(device, views[1], NULL);
	buffer_free(&from);
	buffer_free(&to);
	buffer_free(&out);
}

// imageatomics: atomic operations on texels.
static void test_image_atomics(void) {
	if (!wants("imageatomics")) return;
	const Shape shape = {"2D", VK_IMAGE_TYPE_2D, VK_IMAGE_VIEW_TYPE_2D, 64, 16, 1, 1, 1};
	const Format f = {F(R32_UINT), 4, 1, ~0u, 2, 0};
	Image image = filled(&shape, &f, VK_IMAGE_USAGE_STORAGE_BIT);
	Buffer out = buffer_new(4 * 256), back = buffer_new(4 * 64 * 16);
	Pipeline p = pipeline_new("imageatomics", NULL);
	bind_buffer(OUT, &out);
	bind_storage(&image);
	VkBufferImageCopy copy;
	regions(&shape, &f, &copy);
	begin();
	bind_pipeline(&p, NULL, 0);
	vkCmdDispatch(cmd, 4, 1, 1);
	barrier();
	vkCmdCopyImageToBuffer(cmd, image.image, VK_IMAGE_LAYOUT_GENERAL, back.buffer, 1, &copy);
	submit();
	report("imageatomics.returned", 0, out.data, 256);
	report("imageatomics.image", 0, back.data, back.size / 4);
	pipeline_free(&p);
	buffer_free(&back);
	buffer_free(&out);
	image_free(&image);
}

// Samples: a shader, an image, a sampler.
typedef struct {
	const char *name, *shader;
	Shape shape;
	const char *format;
	VkSamplerCreateInfo sampler;
	double off;
} Sample;

#define SHAPE_1D {"1D", VK_IMAGE_TYPE_1D, VK_IMAGE_VIEW_TYPE_1D, 64, 1, 1, 1, 7}
#define SHAPE_2D {"2D", VK_IMAGE_TYPE_2D, VK_IMAGE_VIEW_TYPE_2D, 32, 64, 1, 1, 6}
#define SHAPE_FLAT {"2D", VK_IMAGE_TYPE_2D, VK_IMAGE_VIEW_TYPE_2D, 32, 64, 1, 1, 1}
#define SHAPE_3D {"3D", VK_IMAGE_TYPE_3D, VK_IMAGE_VIEW_TYPE_3D, 16, 8, 16, 1, 4}
#define SHAPE_2DA {"2DArray", VK_IMAGE_TYPE_2D, VK_IMAGE_VIEW_TYPE_2D_ARRAY, 16, 32, 1, 5, 4}
#define SHAPE_1DA {"1DArray", VK_IMAGE_TYPE_1D, VK_IMAGE_VIEW_TYPE_1D_ARRAY, 32, 1, 1, 5, 4}
#define SHAPE_CUBE {"Cube", VK_IMAGE_TYPE_2D, VK_IMAGE_VIEW_TYPE_CUBE, 32, 32, 1, 6, 5}
#define SHAPE_CUBES {"CubeArray", VK_IMAGE_TYPE_2D, VK_IMAGE_VIEW_TYPE_CUBE_ARRAY, 16, 16, 1, 12, 3}
#define ADDRESS(m) .addressModeU = VK_SAMPLER_ADDRESS_MODE_##m, .addressModeV = VK_SAMPLER_ADDRESS_MODE_##m, .addressModeW = VK_SAMPLER_ADDRESS_MODE_##m
#define NEAREST .magFilter = VK_FILTER_NEAREST, .minFilter = VK_FILTER_NEAREST, .mipmapMode = VK_SAMPLER_MIPMAP_MODE_NEAREST, .maxLod = 16
#define LINEAR .magFilter = VK_FILTER_LINEAR, .minFilter = VK_FILTER_LINEAR, .mipmapMode = VK_SAMPLER_MIPMAP_MODE_NEAREST, .maxLod = 16
#define TRILINEAR .magFilter = VK_FILTER_LINEAR, .minFilter = VK_FILTER_LINEAR, .mipmapMode = VK_SAMPLER_MIPMAP_MODE_LINEAR, .maxLod = 16
#define BORDER(c) ADDRESS(CLAMP_TO_BORDER), .borderColor = VK_BORDER_COLOR_##c
#define COMPARE(op) .compareEnable = VK_TRUE, .compareOp = VK_COMPARE_OP_##op
#define S VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO

static const Sample samples[] = {
	{"nearest.repeat", "lod2D", SHAPE_2D, "R8G8B8A8_UNORM", {S, NEAREST, ADDRESS(REPEAT)}, 1e-6},
	{"nearest.mirror", "lod2D", SHAPE_2D, "R32G32B32A32_SFLOAT", {S, NEAREST, ADDRESS(MIRRORED_REPEAT)}, 1e-6},
	{"nearest.edge", "lod2D", SHAPE_2D, "R16G16B16A16_SFLOAT", {S, NEAREST, ADDRESS(CLAMP_TO_EDGE)}, 1e-6},
	{"nearest.black", "lod2D", SHAPE_2D, "R32G32_SFLOAT", {S, NEAREST, BORDER(FLOAT_OPAQUE_BLACK)}, 1e-6},
	{"nearest.white", "lod2D", SHAPE_2D, "R16_UNORM", {S, NEAREST, BORDER(FLOAT_OPAQUE_WHITE)}, 1e-6},
	{"nearest.clear", "lod2D", SHAPE_2D, "R8G8B8A8_SRGB", {S, NEAREST, BORDER(FLOAT_TRANSPARENT_BLACK)}, 2e-3},
	{"nearest.uint", "lod2Du", SHAPE_2D, "R16G16B16A16_UINT", {S, NEAREST, BORDER(INT_OPAQUE_WHITE)}, 1e-6},
	{"nearest.sint", "lod2Di", SHAPE_2D, "R32G32B32A32_SINT", {S, NEAREST, ADDRESS(REPEAT)}, 1e-6},
	{"linear.repeat", "lod2D", SHAPE_2D, "R32G32B32A32_SFLOAT", {S, LINEAR, ADDRESS(REPEAT)}, 1e-4},
	{"linear.mirror", "lod2D", SHAPE_2D, "R16G16B16A16_SFLOAT", {S, LINEAR, ADDRESS(MIRRORED_REPEAT)}, 1e-4},
	{"linear.edge", "lod2D", SHAPE_2D, "R8G8B8A8_UNORM", {S, LINEAR, ADDRESS(CLAMP_TO_EDGE)}, 8e-3},
	{"linear.srgb", "lod2D", SHAPE_2D, "B8G8R8A8_SRGB", {S, LINEAR, ADDRESS(REPEAT)}, 8e-3},
	{"linear.white", "lod2D", SHAPE_2D, "R32_SFLOAT", {S, LINEAR, BORDER(FLOAT_OPAQUE_WHITE)}, 1e-4},
	{"linear.packed", "lod2D", SHAPE_2D, "B10G11R11_UFLOAT_PACK32", {S, LINEAR, ADDRESS(REPEAT)}, 1e-4},
	{"linear.bc1", "lod2D", SHAPE_2D, "BC1_RGBA_UNORM_BLOCK", {S, LINEAR, ADDRESS(REPEAT)}, 1e-2},
	{"linear.bc7", "lod2D", SHAPE_2D, "BC7_UNORM_BLOCK", {S, LINEAR, ADDRESS(MIRRORED_REPEAT)}, 1e-2},
	{"trilinear", "lod2D", SHAPE_2D, "R32G32B32A32_SFLOAT", {S, TRILINEAR, ADDRESS(REPEAT)}, 1e-4},
	{"trilinear.limits", "lod2D", SHAPE_2D, "R32G32B32A32_SFLOAT", {S, .magFilter = VK_FILTER_NEAREST, .minFilter = VK_FILTER_LINEAR, .mipmapMode = VK_SAMPLER_MIPMAP_MODE_LINEAR, ADDRESS(REPEAT), .mipLodBias = 0.5f, .minLod = 0.75f, .maxLod = 2.25f}, 1e-4},
	{"1D", "lod1D", SHAPE_1D, "R32G32B32A32_SFLOAT", {S, TRILINEAR, ADDRESS(REPEAT)}, 1e-4},
	{"1DArray", "lod1DArray", SHAPE_1DA, "R32G32B32A32_SFLOAT", {S, LINEAR, ADDRESS(REPEAT)}, 1e-4},
	{"3D", "lod3D", SHAPE_3D, "R32G32B32A32_SFLOAT", {S, TRILINEAR, ADDRESS(REPEAT)}, 1e-4},
	{"3D.white", "lod3D", SHAPE_3D, "R32_SFLOAT", {S, LINEAR, BORDER(FLOAT_OPAQUE_WHITE)}, 1e-4},
	{"2DArray", "lod2DArray", SHAPE_2DA, "R32G32B32A32_SFLOAT", {S, TRILINEAR, ADDRESS(MIRRORED_REPEAT)}, 1e-4},
	{"cube.nearest", "lodCube", SHAPE_CUBE, "R8G8B8A8_UNORM", {S, NEAREST, ADDRESS(CLAMP_TO_EDGE)}, 1e-6},
	{"cube.linear", "lodCube", SHAPE_CUBE, "R16G16B16A16_SFLOAT", {S, LINEAR, ADDRESS(CLAMP_TO_EDGE)}, 2e-2},
	{"cubes.nearest", "lodCubeArray", SHAPE_CUBES, "R32_SFLOAT", {S, NEAREST, ADDRESS(CLAMP_TO_EDGE)}, 1e-6},
	{"gradients", "grad2D", SHAPE_2D, "R32G32B32A32_SFLOAT", {S, LINEAR, ADDRESS(REPEAT)}, 1e-4},
	{"offsets", "offset2D", SHAPE_2D, "R32G32B32A32_SFLOAT", {S, LINEAR, ADDRESS(REPEAT)}, 1e-4},
	{"projection", "proj2D", SHAPE_2D, "R32G32B32A32_SFLOAT", {S, LINEAR, ADDRESS(REPEAT)}, 1e-4},
	{"gather", "gather2D", SHAPE_2D, "R32G32B32A32_SFLOAT", {S, LINEAR, ADDRESS(REPEAT)}, 1e-6},
	{"gather.edge", "gather2D", SHAPE_2D, "R8G8B8A8_UNORM", {S, NEAREST, ADDRESS(CLAMP_TO_EDGE)}, 1e-6},
	{"gather.uint", "gather2Du", SHAPE_2D, "R8G8B8A8_UINT", {S, NEAREST, ADDRESS(REPEAT)}, 1e-6},
	{"gather.offset", "gatherOffset2D", SHAPE_2D, "R16G16B16A16_SFLOAT", {S, LINEAR, ADDRESS(REPEAT)}, 1e-6},
	{"gather.array", "gather2DArray", SHAPE_2DA, "R32G32B32A32_SFLOAT", {S, LINEAR, ADDRESS(REPEAT)}, 1e-6},
	{"gather.cube", "gatherCube", SHAPE_CUBE, "R32_SFLOAT", {S, NEAREST, ADDRESS(CLAMP_TO_EDGE)}, 1e-6},
	{"shadow.less", "shadow2D", SHAPE_2D, "D32_SFLOAT", {S, NEAREST, ADDRESS(REPEAT), COMPARE(LESS)}, 1e-6},
	{"shadow.greater", "shadow2D", SHAPE_2D, "D16_UNORM", {S, NEAREST, ADDRESS(CLAMP_TO_EDGE), COMPARE(GREATER_OR_EQUAL)}, 1e-6},
	{"shadow.linear", "shadow2D", SHAPE_2D, "D32_SFLOAT", {S, LINEAR, ADDRESS(REPEAT), COMPARE(LESS_OR_EQUAL)}, 1e-4},
	{"shadow.gather", "shadowGather2D", SHAPE_2D, "D32_SFLOAT", {S, NEAREST, ADDRESS(REPEAT), COMPARE(GREATER)}, 1e-6},
	{"unnormalized", "lod2D", SHAPE_FLAT, "R32G32B32A32_SFLOAT", {S, .magFilter = VK_FILTER_NEAREST, .minFilter = VK_FILTER_NEAREST, ADDRESS(CLAMP_TO_EDGE), .unnormalizedCoordinates = VK_TRUE}, 1e-6},
	{"size2D", "size2D", SHAPE_2D, "R8_UNORM", {S, NEAREST}, 1e-6},
	{"size3D", "size3D", SHAPE_3D, "R8_UNORM", {S, NEAREST}, 1e-6},
	{"size2DArray", "size2DArray", SHAPE_2DA, "R8_UNORM", {S, NEAREST}, 1e-6},
	{"sizeCubeArray", "sizeCubeArray", SHAPE_CUBES, "R8_UNORM", {S, NEAREST}, 1e-6},
};

static void test_sample(const Sample *t) {
	char name[64];
	snprintf(name, sizeof name, "sample.%s", t->name);
	if (!wants(name)) return;
	const Format *f = formats;
	while (strcmp(f->name, t->format)) f++;
	const VkImageCreateInfo info = info_of(&t->shape, f, VK_IMAGE_USAGE_SAMPLED_BIT);
	if (!image_supported(&info, VK_FORMAT_FEATURE_SAMPLED_IMAGE_BIT) || (t->shape.view == VK_IMAGE_VIEW_TYPE_CUBE_ARRAY && !features.features.imageCubeArray)) {
		skip(name, "such images");
		return;
	}
	Image image = filled(&t->shape, f, VK_IMAGE_USAGE_SAMPLED_BIT);
	VkSampler sampler = sampler_new(&t->sampler);
	enum { SAMPLES = 512 };
	Buffer out = buffer_new(16 * SAMPLES), in = buffer_new(16 * SAMPLES);
	seed = 7;
	float *c = in.data;
	const float sizes[] = {t->shape.w, t->shape.h, t->shape.d};
	for (int n = 0; n < SAMPLES; n++) {
		// Between the places where weights are no multiples of 1/256, for levels that are large.
		for (int d = 0; d < 3; d++) {
			const uint32_t r = next_random();
			if (t->sampler.unnormalizedCoordinates) c[4 * n + d] = (float)(r % 640) / 16 - 4 + 1.0f / 32;
			else if (t->sampler.compareEnable && d == 2) c[4 * n + d] = (float)(r % 97) / 97;
			else c[4 * n + d] = ((float)((int)(r % 512) - 128) / 8 + 1.0f / 16) / (d == 2 && t->shape.d == 1 ? 64 : sizes[d]);
		}
		c[4 * n + 3] = t->sampler.unnormalizedCoordinates ? 0 : (float)(next_random() % 40) / 8 - 1 + 1.0f / 16;
		if (t->shape.view == VK_IMAGE_VIEW_TYPE_CUBE || t->shape.view == VK_IMAGE_VIEW_TYPE_CUBE_ARRAY) { // in one face
			for (int d = 0; d < 3; d++) c[4 * n + d] = 0.5f + ((float)(next_random() % 31) - 15 + 0.3f) / 64;
			c[4 * n + n % 3] = n & 1 ? 1 : 0;
		}
	}
	Pipeline p = pipeline_new(t->shader, NULL);
	bind_buffer(OUT, &out);
	bind_buffer(IN, &in);
	bind_texture(&image, sampler);
	begin();
	bind_pipeline(&p, NULL, 0);
	vkCmdDispatch(cmd, SAMPLES / 64, 1, 1);
	submit();
	report(name, t->off, out.data, 4 * SAMPLES);
	pipeline_free(&p);
	buffer_free(&in);
	buffer_free(&out);
	vkDestroySampler(device, sampler, NULL);
	image_free(&image);
}

// clears: images are cleared, and copied to others in part.
static void test_clears(void) {
	if (!wants("clears")) return;
	const Shape shape = {"2DArray", VK_IMAGE_TYPE_2D, VK_IMAGE_VIEW_TYPE_2D_ARRAY, 40, 28, 1, 3, 3};
	const char *names[] = {"R8G8B8A8_UNORM", "R32G32B32A32_UINT", "R16_SFLOAT"};
	for (int i = 0; i < 3; i++) {
		const Format *f = formats;
		while (strcmp(f->name, names[i])) f++;
		Image a = filled(&shape, f, VK_IMAGE_USAGE_SAMPLED_BIT), b = filled(&shape, f, VK_IMAGE_USAGE_SAMPLED_BIT);
		VkBufferImageCopy copies[16];
		const VkDeviceSize size = regions(&shape, f, copies);
		Buffer back = buffer_new(size);
		const VkClearColorValue colour = f->kind ? (VkClearColorValue){.uint32 = {1, 2, 3, 4}} : (VkClearColorValue){.float32 = {1, 0.5f, 0, 1}};
		const VkImageSubresourceRange range = {VK_IMAGE_ASPECT_COLOR_BIT, 1, 1, 0, 2};
		const VkImageCopy part = {{VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 2}, {4, 8, 0}, {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 2}, {12, 3, 0}, {17, 9, 1}};
		begin();
		vkCmdClearColorImage(cmd, b.image, VK_IMAGE_LAYOUT_GENERAL, &colour, 1, &range);
		barrier();
		vkCmdCopyImage(cmd, a.image, VK_IMAGE_LAYOUT_GENERAL, b.image, VK_IMAGE_LAYOUT_GENERAL, 1, &part);
		barrier();
		vkCmdCopyImageToBuffer(cmd, b.image, VK_IMAGE_LAYOUT_GENERAL, back.buffer, shape.levels, copies);
		submit();
		char name[64];
		snprintf(name, sizeof name, "clears.%s", names[i]);
		report(name, 0, back.data, size / 4);
		buffer_free(&back);
		image_free(&b);
		image_free(&a);
	}
}

// depths: depth and stencil are cleared, and copied to other images in part. Only families that draw can do it.
static void test_depths(void) {
	if (!wants("depths")) return;
	const Shape shape = {"2DArray", VK_IMAGE_TYPE_2D, VK_IMAGE_VIEW_TYPE_2D_ARRAY, 40, 28, 1, 3, 3};
	static const Format depths[] = {{F(D16_UNORM), 2, 1, ~0u, 0, 0}, {F(D32_SFLOAT), 4, 1, 0x3f7fffff, 0, 0}, {F(S8_UINT), 1, 1, ~0u, 2, 0}};
	for (int i = 0; i < 3; i++) {
		const Format *f = &depths[i];
		char name[64];
		snprintf(name, sizeof name, "depths.%s", f->name);
		const VkImageCreateInfo info = info_of(&shape, f, VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT);
		if (!draws || !image_supported(&info, VK_FORMAT_FEATURE_DEPTH_STENCIL_ATTACHMENT_BIT)) {
			skip(name, "such depth buffers");
			continue;
		}
		Image a = filled(&shape, f, VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT), b = filled(&shape, f, VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT);
		VkBufferImageCopy copies[16];
		const VkDeviceSize size = regions(&shape, f, copies);
		Buffer back = buffer_new(size);
		const VkClearDepthStencilValue value = {0.375f, 0xa5};
		const VkImageAspectFlags aspect = aspect_of(f->format);
		const VkImageSubresourceRange range = {aspect, 1, 1, 0, 2};
		const VkImageCopy part = {{aspect, 0, 0, 2}, {4, 8, 0}, {aspect, 0, 1, 2}, {12, 3, 0}, {17, 9, 1}};
		begin();
		vkCmdClearDepthStencilImage(cmd, b.image, VK_IMAGE_LAYOUT_GENERAL, &value, 1, &range);
		barrier();
		vkCmdCopyImage(cmd, a.image, VK_IMAGE_LAYOUT_GENERAL, b.image, VK_IMAGE_LAYOUT_GENERAL, 1, &part);
		barrier();
		vkCmdCopyImageToBuffer(cmd, b.image, VK_IMAGE_LAYOUT_GENERAL, back.buffer, shape.levels, copies);
		submit();
		report(name, 0, back.data, size / 4);
		buffer_free(&back);
		image_free(&b);
		image_free(&a);
	}
}

// Blits: what is copied with other sizes, directions and formats. Sizes are such that nearest texels are never a matter
// of rounding.
typedef struct {
	const char *name, *from, *to;
	VkImageType type;
	VkFilter filter;
	double off; // words are floats
} Blit;

static const Blit blits[] = {
	{"bytes", "R8G8B8A8_UNORM", "R8G8B8A8_UNORM", VK_IMAGE_TYPE_2D, VK_FILTER_NEAREST, 0},
	{"swapped", "R8G8B8A8_UNORM", "B8G8R8A8_UNORM", VK_IMAGE_TYPE_2D, VK_FILTER_NEAREST, 0},
	{"halves", "R16G16B16A16_SFLOAT", "R32G32B32A32_SFLOAT", VK_IMAGE_TYPE_2D, VK_FILTER_NEAREST, 1e-6},
	{"words", "R32_UINT", "R32_UINT", VK_IMAGE_TYPE_2D, VK_FILTER_NEAREST, 0},
	{"signed", "R16_SINT", "R32G32B32A32_SINT", VK_IMAGE_TYPE_2D, VK_FILTER_NEAREST, 0},
	{"small", "R5G6B5_UNORM_PACK16", "R32G32B32A32_SFLOAT", VK_IMAGE_TYPE_2D, VK_FILTER_NEAREST, 4e-3}, // Mesa on the CPU copies by 8 bits
	{"lines", "R32_SFLOAT", "R32_SFLOAT", VK_IMAGE_TYPE_1D, VK_FILTER_NEAREST, 1e-6},
	{"cells", "R32_SFLOAT", "R32_SFLOAT", VK_IMAGE_TYPE_3D, VK_FILTER_NEAREST, 1e-6},
	{"linear", "R8G8B8A8_UNORM", "R32G32B32A32_SFLOAT", VK_IMAGE_TYPE_2D, VK_FILTER_LINEAR, 8e-3},
	{"linear.srgb", "R8G8B8A8_SRGB", "R32G32B32A32_SFLOAT", VK_IMAGE_TYPE_2D, VK_FILTER_LINEAR, 8e-3},
	{"linear.cells", "R8G8B8A8_UNORM", "R32G32B32A32_SFLOAT", VK_IMAGE_TYPE_3D, VK_FILTER_LINEAR, 8e-3},
};

static const Format *format_of(const char *name) {
	static const Format sint16 = {F(R16_SINT), 2, 1, ~0u, 1, 0};
	if (!strcmp(name, sint16.name)) return &sint16;
	const Format *f = formats;
	while (strcmp(f->name, name)) f++;
	return f;
}

static void test_blit(const Blit *t) {
	char name[64];
	snprintf(name, sizeof name, "blits.%s", t->name);
	if (!wants(name)) return;
	if (!draws) {
		skip(name, "graphics");
		return;
	}
	const bool volume = t->type == VK_IMAGE_TYPE_3D, line = t->type == VK_IMAGE_TYPE_1D;
	const Shape shape = {"", t->type, volume ? VK_IMAGE_VIEW_TYPE_3D : line ? VK_IMAGE_VIEW_TYPE_1D_ARRAY : VK_IMAGE_VIEW_TYPE_2D_ARRAY,
		48, line ? 1 : 36, volume ? 6 : 1, volume ? 1 : 3, 3};
	const Format *from = format_of(t->from), *to = format_of(t->to);
	Image a = filled(&shape, from, VK_IMAGE_USAGE_SAMPLED_BIT), b = filled(&shape, to, VK_IMAGE_USAGE_SAMPLED_BIT);
	const int scale = t->filter == VK_FILTER_NEAREST ? 3 : 2, w = shape.w, h = shape.h, d = shape.d;
	const VkImageSubresourceLayers all = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, shape.layers}, small = {VK_IMAGE_ASPECT_COLOR_BIT, 1, 0, shape.layers};
	const int down = line ? 1 : h / scale, top = line ? 0 : h / 2;
	const VkImageBlit parts[] = {
		{all, {{0, 0, 0}, {w, h, d}}, all, {{0, 0, 0}, {w / scale, down, d}}},                                   // smaller
		{all, {{w / 2, 0, 0}, {0, line ? 1 : 9, d}}, all, {{24, line ? 0 : 9, 0}, {48, line ? 1 : 0, d}}},       // both ways round
		{all, {{3, line ? 0 : 5, 0}, {7, line ? 1 : 9, d}}, small, {{0, 0, 0}, {4 * scale, line ? 1 : 4 * scale, d > 1 ? d / 2 : 1}}}, // larger
		{small, {{0, 0, 0}, {8, line ? 1 : 8, d > 1 ? d / 2 : 1}}, all, {{w / 3 + 3, top, 0}, {w / 3 + 11, line ? 1 : top + 8, d > 1 ? d / 2 : 1}}}, // as large
	};
	VkBufferImageCopy copies[16];
	const VkDeviceSize size = regions(&shape, to, copies);
	Buffer back = buffer_new(size);
	begin();
	for (int i = 0; i < 4; i++) {
		if (volume && i == 2 && t->filter == VK_FILTER_NEAREST) continue; // half of the slices, on the edge between two
		if (line && i == 0) continue;
		vkCmdBlitImage(cmd, a.image, VK_IMAGE_LAYOUT_GENERAL, b.image, VK_IMAGE_LAYOUT_GENERAL, 1, &parts[i], t->filter);
		barrier();
	}
	vkCmdCopyImageToBuffer(cmd, b.image, VK_IMAGE_LAYOUT_GENERAL, back.buffer, shape.levels, copies);
	submit();
	report(name, t->off, back.data, size / 4);
	buffer_free(&back);
	image_free(&b);
	image_free(&a);
}

int main(int argc, char **argv) {
	if (argc < 2) {
		fprintf(stderr, "usage: %s DIR [NAME...]\n", argv[0]);
		return 2;
	}
	wanted = (const char **)argv + 2;
	wanted_count = argc - 2;
	vk_init(argv[1]);
	fprintf(stderr, "%s\n", properties.properties.deviceName);
	for (size_t i = 0; i < sizeof computes / sizeof *computes; i++) run_compute(&computes[i]);
	test_dispatches();
	test_robust();
	test_queues();
	test_times();
	test_transfers();
	test_image_atomics();
	for (int s = 0; s < SHAPES; s++)
		for (int f = 0; f < FORMATS; f++) {
			test_fetch(&shapes[s], &formats[f]);
			test_store(&shapes[s], &formats[f]);
		}
	for (int f = 0; f < FORMATS; f++) test_texels(&formats[f]);
	for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) test_sample(&samples[i]);
	test_clears();
	test_depths();
	for (size_t i = 0; i < sizeof blits / sizeof *blits; i++) test_blit(&blits[i]);
	vk_done();
	return 0;
}
