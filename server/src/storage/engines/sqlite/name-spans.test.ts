import { expect, it } from 'vitest'
import { askedSpans, spansOf } from './name-spans.ts'

const names = [
  'harbor amber mobility',
  'çelik & söhne gmbh',
  '北京市朝阳区建国路八十八号',
  '👩🏽‍💻 studio of one',
  'aaaaaaaaaaaaaaaa',
]

it.each(names)('every part of %s is asked for by spans that it has', (name) => {
  const spans = new Set(spansOf(name).split(' '))
  for (let from = 0; from < name.length; from++) {
    for (let to = from + 11; to <= name.length; to++) {
      const asked = askedSpans(name.slice(from, to))?.split(' AND ') ?? []
      expect(asked.length).toBeGreaterThan(0)
      for (const span of asked) expect(spans).toContain(span)
    }
  }
})

it('other names have other spans', () => {
  const spans = new Set(spansOf('harbor amber mobility').split(' '))
  for (const span of askedSpans('harbour ember')?.split(' AND ') ?? []) expect(spans).not.toContain(span)
})

it('what is shorter than four spans in a row is not asked for by spans', () => {
  expect(spansOf('ten letter')).toBe('')
  expect(askedSpans('ten letter')).toBeUndefined()
  expect(askedSpans('ten letters')).toBeDefined()
})

it('a long name keeps less than half of its spans', () => {
  const name = 'the quick brown fox jumps over the lazy dog and runs away from all that was said of him'
  expect(spansOf(name).split(' ').length).toBeLessThan((name.length - 7) / 2)
})
