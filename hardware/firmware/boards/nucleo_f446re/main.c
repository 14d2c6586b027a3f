/* SPDX-License-Identifier: Apache-2.0 */
/* A motor board on an ST Nucleo-F446RE with two H-bridges of the kind that has PWM, direction and
 * enable. Compiled in the checks, NOT RUN on hardware.
 *
 *   encoder 1  PA15, PB3 (TIM2)    bridge 1  PWM PA8, direction PB4,  enable PB5
 *   encoder 4  PA0, PA1 (TIM5)     bridge 4  PWM PA9, direction PB10, enable PB6
 *   line       PA2, PA3 (USART2): the Nucleo's own USB connector, 1 Mbaud
 *   emergency stop PB12, over-current PB13, under-voltage PB14: closed to ground while all is well
 *
 * Two interrupts: the line's only moves bytes; SysTick is the control period. Frames are handled in
 * main(), with SysTick held back meanwhile. */
#include <string.h>

#include "firmware/board.h"
#include "registers.h"

enum
{
  FULL_SCALE = 12000, /* mV, the supply of the bridges */
  PWM_STEPS = 4200,   /* 84 MHz / 20 kHz */
  RX_SIZE = 512,
  TX_SIZE = 1024,
  TICK_PRIORITY = 0x20 /* the line's is 0 */
};

static struct fivebar_board board;
static volatile uint8_t received[RX_SIZE], sending[TX_SIZE];
static volatile unsigned rx_head, rx_tail, tx_head, tx_tail;

static void hold_tick_back(uint32_t priority)
{
  __asm volatile("msr basepri, %0\n isb" ::"r"(priority) : "memory");
}

/* Hooks. */

/* A 16-bit counter of microseconds, made longer: it is asked for at least once per tick. */
static uint32_t time_us(void * context)
{
  static uint32_t now;
  static uint16_t before;
  (void)context;
  const uint16_t count = (uint16_t)TIM3->cnt;
  now += (uint16_t)(count - before);
  before = count;
  return now;
}

static int32_t counts(void * context, int motor)
{
  (void)context;
  const uint32_t count = motor == 0 ? TIM2->cnt : TIM5->cnt;
  int32_t value;
  memcpy(&value, &count, sizeof value);
  return value;
}

/* Encoders without an index. */
static bool index_of(void * context, int motor, int32_t * at)
{
  (void)context;
  (void)motor;
  *at = 0;
  return false;
}

static uint32_t duty(int32_t millivolts)
{
  const uint32_t size = (uint32_t)(millivolts < 0 ? -millivolts : millivolts);
  return size * PWM_STEPS / FULL_SCALE;
}

static void set_output(void * context, int32_t first, int32_t second)
{
  (void)context;
  const uint32_t off = first == 0 && second == 0 ? 16u : 0u; /* the upper half of bsrr resets */
  TIM1->ccr1 = duty(first);
  TIM1->ccr2 = duty(second);
  GPIOB->bsrr = 1u << (4u + (first < 0 ? 16u : 0u));
  GPIOB->bsrr = 1u << (10u + (second < 0 ? 16u : 0u));
  GPIOB->bsrr = (1u << 5u | 1u << 6u) << off;
}

/* A broken wire is a fault, too. */
static uint16_t faults(void * context)
{
  (void)context;
  const uint32_t high = GPIOB->idr;
  unsigned bits = (high & 1u << 12) != 0u ? FIVEBAR_EMERGENCY_STOP : 0u;
  bits |= (high & 1u << 13) != 0u ? FIVEBAR_OVER_CURRENT : 0u;
  bits |= (high & 1u << 14) != 0u ? FIVEBAR_UNDER_VOLTAGE : 0u;
  return (uint16_t)bits;
}

static void send(void * context, const uint8_t * bytes, size_t size)
{
  (void)context;
  if (size >= TX_SIZE - 1u - (tx_head + TX_SIZE - tx_tail) % TX_SIZE)
  {
    return;
  }
  unsigned head = tx_head;
  for (size_t i = 0u; i < size; ++i)
  {
    sending[head] = bytes[i];
    head = (head + 1u) % TX_SIZE;
  }
  tx_head = head;
  USART2->cr1 |= USART_TXE; /* the same bit enables its interrupt */
}

static void kick_hardware_watchdog(void * context)
{
  (void)context;
  IWDG_KR = 0xAAAAu;
}

/* Interrupts. */

static void on_line(void)
{
  const uint32_t state = USART2->sr;
  if ((state & (USART_RXNE | USART_ORE)) != 0u)
  {
    received[rx_head] = (uint8_t)USART2->dr;
    const unsigned next = (rx_head + 1u) % RX_SIZE;
    rx_head = next == rx_tail ? rx_head : next; /* full: the frame is lost, and is seen as such */
  }
  if ((state & USART_TXE) != 0u)
  {
    if (tx_tail == tx_head)
    {
      USART2->cr1 &= ~(uint32_t)USART_TXE;
    }
    else
    {
      USART2->dr = sending[tx_tail];
      tx_tail = (tx_tail + 1u) % TX_SIZE;
    }
  }
}

static void on_tick(void) { fivebar_board_tick(&board); }

/* The beginning. */

static void clocks_begin(void)
{
  FLASH_ACR = 0x702u;                                  /* caches, two wait states */
  RCC_PLLCFGR = 16u | 336u << 6 | 1u << 16 | 2u << 28; /* 16 MHz / 16 * 336 / 4 = 84 MHz */
  RCC_CR |= 1u << 24;
  while ((RCC_CR & 1u << 25) == 0u)
  {
  }
  RCC_CFGR = 4u << 10 | 2u; /* APB1 at 42 MHz, from the PLL */
  while ((RCC_CFGR & 0xcu) != 8u)
  {
  }
  RCC_AHB1ENR |= 3u;                                           /* GPIO A, B */
  RCC_APB1ENR |= 1u | 1u << 1 | 1u << 3 | 1u << 17 | 1u << 28; /* TIM2, 3, 5, USART2, PWR */
  RCC_APB2ENR |= 1u;                                           /* TIM1 */
}

static void pins_begin(void)
{
  /* Bridges off before their pins are outputs. */
  GPIOB->bsrr = (1u << 4 | 1u << 5 | 1u << 6 | 1u << 10) << 16;
  GPIOB->moder = (GPIOB->moder & ~(3u << 6 | 3u << 8 | 3u << 10 | 3u << 12 | 3u << 20)) | 2u << 6 |
                 1u << 8 | 1u << 10 | 1u << 12 | 1u << 20;
  GPIOB->pupdr = (GPIOB->pupdr & ~(3u << 6 | 3u << 8)) | 1u << 6 | 1u << 24 | 1u << 26 | 1u << 28;
  GPIOB->afrl = (GPIOB->afrl & ~(15u << 12)) | 1u << 12; /* PB3: TIM2 */
  GPIOA->moder =
    (GPIOA->moder & ~(3u << 0 | 3u << 2 | 3u << 4 | 3u << 6 | 3u << 16 | 3u << 18 | 3u << 30)) |
    2u << 0 | 2u << 2 | 2u << 4 | 2u << 6 | 2u << 16 | 2u << 18 | 2u << 30;
  GPIOA->pupdr = (GPIOA->pupdr & ~(3u << 30)) | 1u << 0 | 1u << 2 | 1u << 6 | 1u << 30;
  GPIOA->afrl = 2u << 0 | 2u << 4 | 7u << 8 | 7u << 12;                /* TIM5, USART2 */
  GPIOA->afrh = (GPIOA->afrh & 0x0ffff000u) | 1u | 1u << 4 | 1u << 28; /* TIM1, TIM2 */
}

static void encoder_begin(struct timer * timer)
{
  timer->arr = 0xffffffffu;
  timer->ccmr1 = 1u | 3u << 4 | 1u << 8 | 3u << 12; /* both inputs, filtered over 8 clocks */
  timer->smcr = 3u;                                 /* every edge of both */
  timer->cr1 = 1u;
}

static void pwm_begin(void)
{
  TIM1->arr = PWM_STEPS - 1u;
  TIM1->ccmr1 = 6u << 4 | 1u << 3 | 6u << 12 | 1u << 11;
  TIM1->ccer = 1u | 1u << 4;
  TIM1->bdtr = 1u << 15;
  TIM1->egr = 1u;
  TIM1->cr1 = 1u;
}

static void line_begin(void)
{
  USART2->brr = 42u; /* 42 MHz / 1 Mbaud */
  USART2->cr1 = 1u << 13 | 1u << 3 | 1u << 2 | (uint32_t)USART_RXNE;
  NVIC_PRIORITY(38u) = 0u;
  NVIC_ISER1 = 1u << 6;
}

static void watchdog_begin(void)
{
  IWDG_KR = 0x5555u;
  IWDG_PR = 0u;    /* a quarter of the oscillator */
  IWDG_RLR = 190u; /* 45 ms at the slowest oscillator (17 kHz), 16 ms at the fastest */
  IWDG_KR = 0xCCCCu;
}

extern uint32_t noise_begin[], noise_end[];

/* Memory that nobody has cleared is different after each power-up; the counter, after each reset.
 */
static uint32_t session_number(void)
{
  PWR_CR |= 1u << 8;
  RTC_BKP0R = RTC_BKP0R + 1u;
  uint32_t mixed = RTC_BKP0R;
  for (const uint32_t * at = noise_begin; at < noise_end; ++at)
  {
    mixed = (mixed ^ *at) * 16777619u;
  }
  return mixed;
}

int main(void)
{
  static const struct fivebar_hooks hooks = {0,          time_us, counts, index_of,
                                             set_output, faults,  send,   kick_hardware_watchdog};
  clocks_begin();
  pins_begin();
  encoder_begin(TIM2);
  encoder_begin(TIM5);
  pwm_begin();
  TIM3->psc = 83u; /* 1 MHz */
  TIM3->arr = 0xffffu;
  TIM3->egr = 1u;
  TIM3->cr1 = 1u;
  fivebar_board_init(&board, &hooks, session_number(), FULL_SCALE);
  line_begin();
  SYSTICK_PRIORITY = TICK_PRIORITY;
  SYSTICK_RELOAD = 84000u - 1u;
  SYSTICK_VALUE = 0u;
  SYSTICK_CONTROL = 7u;
  watchdog_begin();
  for (;;)
  {
    if (rx_tail != rx_head)
    {
      const uint8_t byte = received[rx_tail];
      rx_tail = (rx_tail + 1u) % RX_SIZE;
      hold_tick_back(TICK_PRIORITY);
      fivebar_board_receive(&board, byte);
      hold_tick_back(0u);
    }
  }
}

extern uint32_t data_from[], data_begin[], data_end[], bss_begin[], bss_end[];
extern uint8_t stack_top[];

__attribute__((noreturn)) void reset(void)
{
  CPACR |= 0xfu << 20; /* the floating-point unit */
  __asm volatile("dsb\n isb");
  memcpy(data_begin, data_from, (size_t)((uint8_t *)data_end - (uint8_t *)data_begin));
  memset(bss_begin, 0, (size_t)((uint8_t *)bss_end - (uint8_t *)bss_begin));
  main();
  for (;;)
  {
  }
}

/* Whatever goes wrong: bridges off, and the watchdog ends it. */
__attribute__((noreturn)) static void halt(void)
{
  GPIOB->bsrr = (1u << 5 | 1u << 6) << 16;
  for (;;)
  {
  }
}

__attribute__((section(".vectors"), used)) static const void * const vectors[16 + 39] = {
  [0] = stack_top,          [1] = (const void *)reset,    [2] = (const void *)halt,
  [3] = (const void *)halt, [4] = (const void *)halt,     [5] = (const void *)halt,
  [6] = (const void *)halt, [15] = (const void *)on_tick, [16 + 38] = (const void *)on_line};
