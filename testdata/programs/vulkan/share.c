// share [dma]: two processes share a buffer and a semaphore. The first one fills the buffer and signals, the second one
// waits, copies the buffer and looks at the copy. It prints how many words are wrong. It takes memory as an opaque
// descriptor, or as a dma-buf.
#include "vk.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { WORDS = 5000, VALUE = 0x12345678 };

static VkExternalMemoryHandleTypeFlagBits kind = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT;
static const VkExternalSemaphoreHandleTypeFlagBits semaphore_kind = VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT;

#define FUNCTION(name) PFN_##name name = (PFN_##name)vkGetDeviceProcAddr(device, #name)

static void pass(int socket, int fd) {
	char byte = 0, control[CMSG_SPACE(sizeof fd)];
	struct iovec io = {&byte, 1};
	struct msghdr m = {.msg_iov = &io, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control};
	struct cmsghdr *h = CMSG_FIRSTHDR(&m);
	h->cmsg_level = SOL_SOCKET, h->cmsg_type = SCM_RIGHTS, h->cmsg_len = CMSG_LEN(sizeof fd);
	memcpy(CMSG_DATA(h), &fd, sizeof fd);
	if (sendmsg(socket, &m, 0) != 1) exit(3);
	close(fd);
}

static int take(int socket) {
	int fd;
	char byte, control[CMSG_SPACE(sizeof fd)];
	struct iovec io = {&byte, 1};
	struct msghdr m = {.msg_iov = &io, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control};
	if (recvmsg(socket, &m, 0) != 1) exit(4);
	memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&m)), sizeof fd);
	return fd;
}

static VkDeviceMemory allocate(VkBuffer buffer, const void *next) {
	VkMemoryRequirements need;
	vkGetBufferMemoryRequirements(device, buffer, &need);
	uint32_t type = 0;
	while (!(need.memoryTypeBits >> type & 1)) type++;
	VkDeviceMemory memory;
	const VkMemoryAllocateInfo info = {VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, next, need.size, type};
	CHECK(vkAllocateMemory(device, &info, NULL, &memory));
	CHECK(vkBindBufferMemory(device, buffer, memory, 0));
	return memory;
}

static int first(int socket, VkBuffer buffer) {
	int fd, status;
	const VkExportMemoryAllocateInfo export = {VK_STRUCTURE_TYPE_EXPORT_MEMORY_ALLOCATE_INFO, NULL, kind};
	FUNCTION(vkGetMemoryFdKHR);
	const VkMemoryGetFdInfoKHR get_memory = {VK_STRUCTURE_TYPE_MEMORY_GET_FD_INFO_KHR, NULL, allocate(buffer, &export), kind};
	CHECK(vkGetMemoryFdKHR(device, &get_memory, &fd));
	pass(socket, fd);
	const VkExportSemaphoreCreateInfo exports = {VK_STRUCTURE_TYPE_EXPORT_SEMAPHORE_CREATE_INFO, NULL, semaphore_kind};
	const VkSemaphoreCreateInfo info = {VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, &exports};
	VkSemaphore semaphore;
	CHECK(vkCreateSemaphore(device, &info, NULL, &semaphore));
	begin();
	vkCmdFillBuffer(cmd, buffer, 0, 4 * WORDS, VALUE);
	CHECK(vkEndCommandBuffer(cmd));
	const VkSubmitInfo work = {VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &cmd, .signalSemaphoreCount = 1, .pSignalSemaphores = &semaphore};
	CHECK(vkQueueSubmit(queues[0], 1, &work, VK_NULL_HANDLE));
	FUNCTION(vkGetSemaphoreFdKHR);
	const VkSemaphoreGetFdInfoKHR get = {VK_STRUCTURE_TYPE_SEMAPHORE_GET_FD_INFO_KHR, NULL, semaphore, semaphore_kind};
	CHECK(vkGetSemaphoreFdKHR(device, &get, &fd));
	pass(socket, fd);
	CHECK(vkQueueWaitIdle(queues[0]));
	wait(&status);
	return WEXITSTATUS(status);
}

static int second(int socket, VkBuffer buffer) {
	const VkImportMemoryFdInfoKHR import = {VK_STRUCTURE_TYPE_IMPORT_MEMORY_FD_INFO_KHR, NULL, kind, take(socket)};
	allocate(buffer, &import);
	const VkSemaphoreCreateInfo info = {VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO};
	VkSemaphore semaphore;
	CHECK(vkCreateSemaphore(device, &info, NULL, &semaphore));
	FUNCTION(vkImportSemaphoreFdKHR);
	const VkImportSemaphoreFdInfoKHR imports = {VK_STRUCTURE_TYPE_IMPORT_SEMAPHORE_FD_INFO_KHR, NULL, semaphore, 0, semaphore_kind, take(socket)};
	CHECK(vkImportSemaphoreFdKHR(device, &imports));
	Buffer copy = buffer_new(4 * WORDS);
	const VkBufferCopy all = {0, 0, 4 * WORDS};
	begin();
	vkCmdCopyBuffer(cmd, buffer, copy.buffer, 1, &all);
	CHECK(vkEndCommandBuffer(cmd));
	const VkPipelineStageFlags stages = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
	const VkSubmitInfo work = {VK_STRUCTURE_TYPE_SUBMIT_INFO, .waitSemaphoreCount = 1, .pWaitSemaphores = &semaphore, .pWaitDstStageMask = &stages, .commandBufferCount = 1, .pCommandBuffers = &cmd};
	CHECK(vkQueueSubmit(queues[0], 1, &work, VK_NULL_HANDLE));
	CHECK(vkQueueWaitIdle(queues[0]));
	int wrong = 0;
	for (int i = 0; i < WORDS; i++) wrong += ((uint32_t *)copy.data)[i] != VALUE;
	printf("%d wrong\n", wrong);
	fflush(stdout);
	return wrong > 0;
}

int main(int argc, char **argv) {
	if (argc > 1 && !strcmp(argv[1], "dma")) kind = VK_EXTERNAL_MEMORY_HANDLE_TYPE_DMA_BUF_BIT_EXT;
	int sockets[2];
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, sockets)) return 2;
	const pid_t child = fork();
	static const char *names[] = {"VK_KHR_external_memory_fd", "VK_EXT_external_memory_dma_buf", "VK_KHR_external_semaphore_fd"};
	extensions = names, extension_count = 3;
	vk_init("");
	const VkExternalMemoryBufferCreateInfo external = {VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO, NULL, kind};
	const VkBufferCreateInfo info = {VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, &external, .size = 4 * WORDS, .usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT};
	VkBuffer buffer;
	CHECK(vkCreateBuffer(device, &info, NULL, &buffer));
	_exit(child ? first(sockets[0], buffer) : second(sockets[1], buffer));
}
