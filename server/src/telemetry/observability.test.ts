import { expect, it } from 'vitest'
import { newLoadShedder } from './observability.ts'

const opened = () => {
  const shed = new Map<string, number>()
  const shedder = newLoadShedder({ inFlightMax: 2, connections: 1, pool: () => undefined, shed })
  const isFull = () => {
    try {
      shedder.refuseWhenFull()
      return false
    } catch {
      return true
    }
  }
  return { shedder, isFull, shed }
}

it('takes so many at once, and another one when one of them is answered', async () => {
  const { shedder, isFull, shed } = opened()
  const enter = () => {
    shedder.begin()
    return isFull()
  }
  expect([enter(), enter(), enter()]).toEqual([false, false, true])
  expect(shed).toEqual(new Map([['requests', 1]]))
  shedder.end()
  await new Promise((resolve) => setImmediate(resolve))
  expect(isFull()).toBe(false)
})

it('counts those that are answered at once like those that wait, as long as they came in together', async () => {
  const { shedder, isFull } = opened()
  const answers: boolean[] = []
  for (let request = 0; request < 4; request++) {
    shedder.begin()
    answers.push(isFull())
    shedder.end()
  }
  expect(answers).toEqual([false, false, true, true])
  await new Promise((resolve) => setImmediate(resolve))
  shedder.begin()
  expect(isFull()).toBe(false)
})
