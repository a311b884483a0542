import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { regexesIn, slownessOf } from './scripts/regexes.ts'

const root = import.meta.dirname
const folders = ['contract/src', 'server/src', 'sdk/src']

/** Slower than linear in the length of the text, and never given a long one: why. */
const bounded: Readonly<Record<string, string>> = {
  '/\\/+$/': 'the address that an integrator gives the client',
  '/-+$/': 'what becomes of a name of at most 255 characters',
  '/\\s*\\n\\s*/g': 'messages of errors at the command line, which no caller writes',
}

const found = folders.flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
    .flatMap((name) =>
      regexesIn(readFileSync(join(root, folder, name), 'utf8')).map((regex) => ({ file: join(folder, name), regex })),
    ),
)

it('every regular expression of the source is read', () => {
  expect(found.length).toBeGreaterThan(60)
  for (const { file, regex } of found)
    expect(() => new RegExp(regex.source, regex.flags), `${file}: ${regex.source}`).not.toThrow()
})

it('every regular expression takes linear time, or its text is short and the table says why', () => {
  const slow = found
    .map(({ file, regex }) => ({ file, regex: `/${regex.source}/${regex.flags}`, why: slownessOf(regex) }))
    .filter(({ regex, why }) => why !== undefined && !(regex in bounded))
  expect(slow).toEqual([])
  const known = new Set(found.map(({ regex }) => `/${regex.source}/${regex.flags}`))
  expect(Object.keys(bounded).filter((regex) => !known.has(regex))).toEqual([])
})

it.each([
  ['(a+)+$', 'exponential'],
  ['^(a|a)*$', 'exponential'],
  ['^(\\w+\\s?)*$', 'exponential'],
  ['^\\s*\\n\\s*$', 'polynomial'],
  ['^.*.*x$', 'polynomial'],
  ['-+$', 'polynomial'],
  ['^[a-z]+@[a-z]+$', undefined],
  ['^(?:[a-z]{1,5},)*$', undefined],
  ['[^a-z0-9]+', undefined],
])('%s is %s', (source, slowness) => {
  expect(slownessOf({ source, flags: '' })).toBe(slowness)
})
