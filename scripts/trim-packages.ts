import { existsSync, readdirSync, rmSync, statSync, utimesSync } from 'node:fs'
import { join, relative } from 'node:path'

const packages = join(import.meta.dirname, '../node_modules')

/** A third of what npm has installed: nothing here reads it. */
function isUnused(path: string): boolean {
  // Source maps, Node's headers for native add-ons, and a second copy of each icon for CommonJS.
  return path.endsWith('.map') || /^node\b.*\binclude$/.test(path) || path === join('lucide-react', 'dist', 'cjs')
}

// Links are not followed: those to the workspaces lead out of the folder.
const entries = readdirSync(packages, { recursive: true, withFileTypes: true })
for (const { parentPath, name } of entries) {
  const path = join(parentPath, name)
  if (isUnused(relative(packages, path))) rmSync(path, { recursive: true, force: true })
}

// npm reads all packages again if one is newer than its own list of them.
const list = join(packages, '.package-lock.json')
if (existsSync(list)) utimesSync(list, statSync(list).atime, new Date())
