/* SPDX-License-Identifier: Apache-2.0 */
/* The firmware core on an emulated Cortex-M4F: QEMU's mps2-an386. UART 0 is the line to the host.
 * UART 1 stands for motors, encoders and the timer: what is behind it sends the counts of each
 * millisecond and gets the volts, with the instructions that the tick took and the depth of the
 * stack. No board has this second line; it is how the core is measured on its instruction set. */
#include <string.h>

#include "firmware/board.h"
#include "firmware/wire.h"

struct uart
{
  volatile uint32_t data, state, control, interrupt, divider;
};
#define UART_0 ((struct uart *)0x40004000u)
#define UART_1 ((struct uart *)0x40005000u)
#define SYSTICK_CONTROL (*(volatile uint32_t *)0xE000E010u)
#define SYSTICK_RELOAD (*(volatile uint32_t *)0xE000E014u)
#define SYSTICK_VALUE (*(volatile uint32_t *)0xE000E018u)
#define COPROCESSOR_ACCESS (*(volatile uint32_t *)0xE000ED88u)

enum
{
  TX_FULL = 1,
  RX_FULL = 2,
  TX_SIZE = 2048,
  TICK_BYTES = 14,
  PAINT = 0xA5
};

struct sender
{
  struct uart * uart;
  uint8_t bytes[TX_SIZE];
  unsigned head, tail;
};

static struct sender host, world;
static struct fivebar_board board;
static uint32_t now_us;
static int32_t counts_now[2];
static int32_t volts_now[2];
static uint16_t faults_now;

extern uint8_t stack_bottom[], stack_top[];

static unsigned waiting(const struct sender * s) { return (s->head - s->tail) % TX_SIZE; }

static void enqueue(struct sender * s, const uint8_t * bytes, size_t size)
{
  if (size >= TX_SIZE - 1u - waiting(s))
  {
    return; /* never in parts */
  }
  for (size_t i = 0u; i < size; ++i)
  {
    s->bytes[s->head] = bytes[i];
    s->head = (s->head + 1u) % TX_SIZE;
  }
}

static void drain(struct sender * s)
{
  while (s->head != s->tail && (s->uart->state & TX_FULL) == 0u)
  {
    s->uart->data = s->bytes[s->tail];
    s->tail = (s->tail + 1u) % TX_SIZE;
  }
}

static uint32_t hook_time(void * context)
{
  (void)context;
  return now_us;
}

static int32_t hook_counts(void * context, int motor)
{
  (void)context;
  return counts_now[motor];
}

static bool hook_index(void * context, int motor, int32_t * counts)
{
  (void)context;
  (void)motor;
  *counts = 0;
  return false;
}

static void hook_output(void * context, int32_t first, int32_t second)
{
  (void)context;
  volts_now[0] = first;
  volts_now[1] = second;
}

static uint16_t hook_faults(void * context)
{
  (void)context;
  return faults_now;
}

static void hook_send(void * context, const uint8_t * bytes, size_t size)
{
  (void)context;
  enqueue(&host, bytes, size);
}

static void hook_kick(void * context) { (void)context; }

static uint32_t stack_depth(void)
{
  const uint8_t * at = stack_bottom;
  while (at < stack_top && *at == PAINT)
  {
    ++at;
  }
  return (uint32_t)(stack_top - at);
}

/* The emulator counts a fixed time per instruction, which SysTick shows. */
static uint32_t elapsed(uint32_t before) { return (before - SYSTICK_VALUE) & 0xffffffu; }

static void tick(const uint8_t * message)
{
  now_us = fivebar_read_u32(message);
  counts_now[0] = fivebar_read_i32(message + 4);
  counts_now[1] = fivebar_read_i32(message + 8);
  faults_now = fivebar_read_u16(message + 12);
  const uint32_t before = SYSTICK_VALUE;
  fivebar_board_tick(&board);
  const uint32_t took = elapsed(before);
  const uint32_t again = SYSTICK_VALUE;
  const uint32_t overhead = elapsed(again);
  uint8_t answer[16];
  uint8_t * to = fivebar_put_u16(answer, (uint16_t)volts_now[0]);
  to = fivebar_put_u16(to, (uint16_t)volts_now[1]);
  to = fivebar_put_u32(to, took > overhead ? took - overhead : 0u);
  to = fivebar_put_u32(to, stack_depth());
  to = fivebar_put_u32(to, board.player.state);
  enqueue(&world, answer, sizeof answer);
}

int main(void)
{
  static const struct fivebar_hooks hooks = {0,           hook_time,   hook_counts, hook_index,
                                             hook_output, hook_faults, hook_send,   hook_kick};
  host.uart = UART_0;
  world.uart = UART_1;
  SYSTICK_RELOAD = 0xffffffu;
  SYSTICK_VALUE = 0u;
  SYSTICK_CONTROL = 5u; /* on, from the processor's clock */
  UART_0->divider = 16u;
  UART_1->divider = 16u;
  UART_0->control = 3u; /* both ways */
  UART_1->control = 3u;
  fivebar_board_init(&board, &hooks, 0x51454d55u, 24000);
  uint8_t message[TICK_BYTES];
  unsigned have = 0u;
  for (;;)
  {
    if ((UART_1->state & RX_FULL) != 0u)
    {
      message[have++] = (uint8_t)UART_1->data;
      if (have == TICK_BYTES)
      {
        have = 0u;
        tick(message);
      }
    }
    if ((UART_0->state & RX_FULL) != 0u)
    {
      fivebar_board_receive(&board, (uint8_t)UART_0->data);
    }
    drain(&host);
    drain(&world);
  }
}

extern uint32_t data_from[], data_begin[], data_end[], bss_begin[], bss_end[];

__attribute__((noreturn)) void reset(void)
{
  COPROCESSOR_ACCESS |= 0xfu << 20; /* the floating-point unit */
  __asm volatile("dsb\n isb");
  /* From where the stack is now down to its end. */
  const uintptr_t here = (uintptr_t)__builtin_frame_address(0) - 64u;
  for (volatile uint8_t * at = stack_bottom; (uintptr_t)at < here; ++at)
  {
    *at = PAINT;
  }
  memcpy(data_begin, data_from, (size_t)((uint8_t *)data_end - (uint8_t *)data_begin));
  memset(bss_begin, 0, (size_t)((uint8_t *)bss_end - (uint8_t *)bss_begin));
  main();
  for (;;)
  {
  }
}

__attribute__((noreturn)) static void halt(void)
{
  for (;;)
  {
  }
}

__attribute__((section(".vectors"), used)) static const void * const vectors[16] = {
  stack_top,          (const void *)reset, (const void *)halt, (const void *)halt,
  (const void *)halt, (const void *)halt,  (const void *)halt};
