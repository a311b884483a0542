import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'

const root = join(import.meta.dirname, '..')

export type Import = { from: string; to: string }

/** The files of a folder and the folders in it, without tests. */
export function sourceFiles(folder: string): string[] {
  return allFiles(folder).filter((name) => !/\.test\.tsx?$/.test(name))
}

export function allFiles(folder: string, ending = /\.tsx?$/): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => ending.test(name) && !/(^|\/)(node_modules|dist)\//.test(name))
    .map((name) => join(folder, name))
}

const texts = new Map<string, string>()

export function read(file: string): string {
  const text = texts.get(file) ?? readFileSync(join(root, file), 'utf8')
  texts.set(file, text)
  return text
}

/** Every import of a file, types included, as a path from the root or as the name of a package. */
export function importsOf(file: string): Import[] {
  const found = read(file).matchAll(
    /(?:^|\n)(?:import|export)\s[^'"]*?from\s+'([^']+)'|import\('([^']+)'\)|new URL\('(\.[^']+\.ts)'/g,
  )
  return [...found].map((match) => ({ from: file, to: resolved(file, match[1] ?? match[2] ?? match[3] ?? '') }))
}

function resolved(file: string, target: string): string {
  if (target.startsWith('.')) return relative(root, join(root, dirname(file), target))
  return target
    .replace(/^(?:@kith\/|#)contract\/(.+)$/, 'contract/src/$1.ts')
    .replace(/^@kith\/sdk$/, 'sdk/src/client.ts')
}
