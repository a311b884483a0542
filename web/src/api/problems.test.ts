import { KithError } from '@kith/sdk'
import { describe, expect, it } from 'vitest'
import { problemsOf } from './problems.ts'

describe('the problems of a form', () => {
  it('are next to the fields that it shows, the others below it', () => {
    const errors = { name: ['The name is taken.'], 'options.1': ['Twice.'], 'options.2': ['Thrice.'] }
    const problems = problemsOf(
      new KithError({ kind: 'invalid', message: 'The name is taken. (and 2 more)', errors }),
      ['name'],
    )
    expect(problems.at('name')).toEqual(['The name is taken.'])
    expect(problems.at('code')).toBeUndefined()
    expect(problems.general).toBe('Twice. Thrice.')
  })

  it('are what the service said where it named no field', () => {
    expect(problemsOf(new KithError({ kind: 'forbidden', message: 'Not you.' }), ['name']).general).toBe('Not you.')
    expect(problemsOf(null, ['name']).general).toBeUndefined()
  })

  it('say when to try again', () => {
    const limited = (retry_after: number) =>
      problemsOf(new KithError({ kind: 'rate_limited', message: 'Too many attempts.', retry_after }), []).general
    expect(limited(40)).toBe('Too many attempts. Try again in 40 seconds.')
    expect(limited(840)).toBe('Too many attempts. Try again in 14 minutes.')
    const told = new KithError({ kind: 'rate_limited', message: 'Too many. Retry in 40 s.', retry_after: 40 })
    expect(problemsOf(told, []).general).toBe('Too many. Retry in 40 s.')
  })
})
