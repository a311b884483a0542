import { readdirSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

// In JavaScript, because Node loads its compiler for a TypeScript file, which takes longer than all of this.
const root = join(dirname(fileURLToPath(import.meta.url)), '../..')
/** The bundle of the server, which `npm ci` makes. Commands start in a third of the time that the source takes. */
export const BUNDLE = join(root, 'server/dist')

const SOURCES = ['server/src', 'contract/src', 'sdk/src', 'server/package.json', 'package-lock.json']

/** Whether the bundle is newer than all of the source. */
export function isBundleFresh() {
  const built = statSync(join(BUNDLE, 'main.js'), { throwIfNoEntry: false })
  return built !== undefined && SOURCES.every((path) => lastChange(join(root, path)) <= built.mtimeMs)
}

function lastChange(path) {
  const found = statSync(path)
  if (!found.isDirectory()) return found.mtimeMs
  const entries = readdirSync(path, { withFileTypes: true })
  return entries.reduce((last, entry) => {
    const inside = join(path, entry.name)
    return Math.max(last, entry.isDirectory() ? lastChange(inside) : statSync(inside).mtimeMs)
  }, found.mtimeMs)
}
