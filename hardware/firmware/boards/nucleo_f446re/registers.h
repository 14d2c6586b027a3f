/* SPDX-License-Identifier: Apache-2.0 */
/* What main.c uses of an STM32F446, by the names of its reference manual (RM0390). */
#ifndef FIVEBAR_BOARDS_NUCLEO_REGISTERS_H
#define FIVEBAR_BOARDS_NUCLEO_REGISTERS_H

#include <stdint.h>

#define REGISTER(address) (*(volatile uint32_t *)(address))

struct gpio
{
  volatile uint32_t moder, otyper, ospeedr, pupdr, idr, odr, bsrr, lckr, afrl, afrh;
};
#define GPIOA ((struct gpio *)0x40020000u)
#define GPIOB ((struct gpio *)0x40020400u)

struct timer
{
  volatile uint32_t cr1, cr2, smcr, dier, sr, egr, ccmr1, ccmr2, ccer, cnt, psc, arr, rcr, ccr1,
    ccr2, ccr3, ccr4, bdtr;
};
#define TIM1 ((struct timer *)0x40010000u)
#define TIM2 ((struct timer *)0x40000000u)
#define TIM3 ((struct timer *)0x40000400u)
#define TIM5 ((struct timer *)0x40000C00u)

struct usart
{
  volatile uint32_t sr, dr, brr, cr1, cr2, cr3;
};
#define USART2 ((struct usart *)0x40004400u)
enum
{
  USART_ORE = 1 << 3,
  USART_RXNE = 1 << 5,
  USART_TXE = 1 << 7
};

#define RCC_CR REGISTER(0x40023800u)
#define RCC_PLLCFGR REGISTER(0x40023804u)
#define RCC_CFGR REGISTER(0x40023808u)
#define RCC_AHB1ENR REGISTER(0x40023830u)
#define RCC_APB1ENR REGISTER(0x40023840u)
#define RCC_APB2ENR REGISTER(0x40023844u)
#define FLASH_ACR REGISTER(0x40023C00u)
#define PWR_CR REGISTER(0x40007000u)
#define RTC_BKP0R REGISTER(0x40002850u)
#define IWDG_KR REGISTER(0x40003000u)
#define IWDG_PR REGISTER(0x40003004u)
#define IWDG_RLR REGISTER(0x40003008u)
#define SYSTICK_CONTROL REGISTER(0xE000E010u)
#define SYSTICK_RELOAD REGISTER(0xE000E014u)
#define SYSTICK_VALUE REGISTER(0xE000E018u)
#define NVIC_ISER1 REGISTER(0xE000E104u)
#define NVIC_PRIORITY(number) (*(volatile uint8_t *)(0xE000E400u + (number)))
#define SYSTICK_PRIORITY (*(volatile uint8_t *)0xE000ED23u)
#define CPACR REGISTER(0xE000ED88u)

#endif
