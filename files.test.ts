import { describe, expect, it } from 'vitest'
import { allFiles, read, sourceFiles } from './scripts/source-files.ts'

const everywhere = ['bench', 'scripts', 'contract', 'sdk', 'server/src', 'server/test', 'web/src', 'web/test']

describe('files', () => {
  const files = ['contract/src', 'server/src', 'sdk/src', 'web/src'].flatMap(sourceFiles)

  it('have a name that says what they contain', () => {
    const vague = files.filter((file) => /(^|\/)(utils?|helpers?|common|misc|shared|lib)(\/|\.tsx?$)/.test(file))
    expect(vague).toEqual([])
  })

  it('name a database dialect in storage/engines and storage/migrations only', () => {
    const named = files.filter((file) => /dialect/i.test(read(file)) && !/storage\/(engines|migrations)\//.test(file))
    expect(named).toEqual([])
  })

  it('use in a browser what it also has on pages without https', () => {
    const secure = sourceFiles('web/src').filter((file) => /crypto\.(randomUUID|subtle)/.test(read(file)))
    expect(secure).toEqual([])
  })
})

describe('lines', () => {
  // Messages, class names and addresses are not broken: strings do not count, except in comments.
  const isLong = (line: string) => {
    if (line.length <= 120 || /https?:\/\/|biome-ignore/.test(line)) return false
    const isComment = /^\s*(\/\/|\/?\*)/.test(line)
    // A text or a pattern that ends where it begins cannot be everywhere without changing it.
    const isPattern = /^\s*\/[^/*].*\/[gimsu]*,?$/.test(line)
    return isComment || (!isPattern && line.replaceAll(/'[^']*'|"[^"]*"|`[^`]*`|`.*/g, '').length > 120)
  }

  it.each(everywhere)('of %s have at most 120 characters, in comments as well', (folder) => {
    const long = allFiles(folder).flatMap((file) =>
      read(file)
        .split('\n')
        .flatMap((line, index) => (isLong(line) ? [`${file}:${index + 1}`] : [])),
    )
    expect(long).toEqual([])
  })
})

describe('texts that people read', () => {
  const odd =
    /\b(whoever|somebody|anew|wherever|whatsoever|mend|beside|is none of them|is no list|look before you|got past)\b/i

  it.each(['server/src', 'contract/src', 'sdk/src', 'web/src'])('have usual words in the messages of %s', (folder) => {
    const found = sourceFiles(folder).flatMap((file) =>
      (read(file).match(/'[^'\n]*'|"[^"\n]*"|`[^`]*`/g) ?? [])
        .filter((text) => odd.test(text))
        .map((text) => `${file}: ${text}`),
    )
    expect(found).toEqual([])
  })

  it.each(['docs/use', 'docs/integrate', 'docs/operate'])('have usual words in %s', (folder) => {
    const pages = allFiles(folder, /\.md$/)
    expect(pages.filter((page) => odd.test(read(page)))).toEqual([])
  })
})

describe('test files', () => {
  // A worker loads a module once and runs many files, so a hook in it would run for the first file only.
  it('share no module with hooks of its own', () => {
    const hooked = ['server/test', 'web/test', 'contract/test']
      .flatMap(sourceFiles)
      .filter((file) => /^(before|after)(All|Each)\(/m.test(read(file)))
    expect(hooked).toEqual(['server/test/setup/file.ts'])
  })
})
