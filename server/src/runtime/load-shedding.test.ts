import { expect, it } from 'vitest'
import { openGate } from './load-shedding.ts'

const opened = () => {
  const shed = new Map<string, number>()
  const gate = openGate({ atOnce: 2, connections: 1, pool: () => undefined, shed })
  const isFull = () => {
    try {
      gate.refuseWhenFull()
      return false
    } catch {
      return true
    }
  }
  return { gate, isFull, shed }
}

it('takes so many at once, and another one when one of them is answered', async () => {
  const { gate, isFull, shed } = opened()
  const enter = () => {
    gate.entered()
    return isFull()
  }
  expect([enter(), enter(), enter()]).toEqual([false, false, true])
  expect(shed).toEqual(new Map([['requests', 1]]))
  gate.left()
  await new Promise((resolve) => setImmediate(resolve))
  expect(isFull()).toBe(false)
})

it('counts those that are answered at once like those that wait, as long as they came in together', async () => {
  const { gate, isFull } = opened()
  const answers: boolean[] = []
  for (let request = 0; request < 4; request++) {
    gate.entered()
    answers.push(isFull())
    gate.left()
  }
  expect(answers).toEqual([false, false, true, true])
  await new Promise((resolve) => setImmediate(resolve))
  gate.entered()
  expect(isFull()).toBe(false)
})
