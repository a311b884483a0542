import { expect, it } from 'vitest'
import { askedTogether, askedTogetherAbout } from './asked-together.ts'

it('nobody gets an answer to a question that went out before they came', async () => {
  const asked: PromiseWithResolvers<number>[] = []
  const ask = askedTogether(() => {
    const one = Promise.withResolvers<number>()
    asked.push(one)
    return one.promise
  })
  const early = [ask(), ask()]
  await Promise.resolve()
  expect(asked.length).toBe(1)
  const late = [ask(), ask(), ask()]
  await Promise.resolve()
  expect(asked.length).toBe(1)
  asked[0]?.resolve(1)
  expect(await Promise.all(early)).toEqual([1, 1])
  asked[1]?.resolve(2)
  expect(await Promise.all(late)).toEqual([2, 2, 2])
  expect(asked.length).toBe(2)
})

it('a question that fails fails for those who share it, and the next one is asked anew', async () => {
  let goes = 0
  const ask = askedTogether(async () => {
    goes++
    if (goes === 1) throw new Error('gone')
    return goes
  })
  const outcomes = await Promise.allSettled([ask(), ask()])
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  expect(await ask()).toBe(2)
})

it('those who want to know the same share a question, and others have their own', async () => {
  const asked: string[] = []
  const ask = askedTogetherAbout(async (about) => {
    asked.push(about)
    return `${about}!`
  })
  expect(await Promise.all([ask('one'), ask('one'), ask('two')])).toEqual(['one!', 'one!', 'two!'])
  expect(asked).toEqual(['one', 'two'])
  expect(await ask('one')).toBe('one!')
  expect(asked).toEqual(['one', 'two', 'one'])
})
