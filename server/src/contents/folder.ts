import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { parseId } from '@kith/contract/id'
import { codeOf } from '../storage/engines/storage-trouble.ts'
import type { ContentName, ContentStore } from './content-store.ts'
import { whileThereIsSpace } from './draft.ts'

const SHA256 = /^[\da-f]{64}$/

/** Contents in a folder: `<workspace>/<two digits>/<hash>`. */
export function folderStore(root: string): ContentStore {
  const pathOf = ({ workspace_id, sha256 }: ContentName) => join(root, workspace_id, sha256.slice(0, 2), sha256)
  return {
    drafts: join(root, 'drafts'),
    put: (name, draft) =>
      whileThereIsSpace(async () => {
        const path = pathOf(name)
        await makeFlushedFolder(dirname(path))
        await rename(draft.path, path)
        await flushFolder(dirname(path))
      }),
    async open(name, { size, range }) {
      const file = await open(pathOf(name)).catch(orMissing)
      if (!file) return undefined
      if ((await file.stat()).size === size) return file.createReadStream(range)
      await file.close()
      return undefined
    },
    remove: (name) => rm(pathOf(name), { force: true }),
    async *list() {
      for (const workspace of await namesIn(root)) {
        if (parseId(workspace) !== workspace) continue
        for (const part of await namesIn(join(root, workspace))) {
          for (const sha256 of await namesIn(join(root, workspace, part))) {
            const name = { workspace_id: workspace, sha256 }
            const found = SHA256.test(sha256) ? await stat(pathOf(name)).catch(orMissing) : undefined
            if (found?.isFile()) yield { ...name, size: found.size }
          }
        }
      }
    },
  }
}

/** A new folder is there after a power failure only once the folder above it is flushed. */
async function makeFlushedFolder(path: string): Promise<void> {
  const first = await mkdir(path, { recursive: true, mode: 0o700 })
  if (first === undefined) return
  for (let made = path; ; made = dirname(made)) {
    await flushFolder(dirname(made))
    if (made === first) return
  }
}

async function flushFolder(path: string): Promise<void> {
  const folder = await open(path)
  await folder.sync().finally(() => folder.close())
}

async function namesIn(folder: string): Promise<string[]> {
  return (await readdir(folder).catch(orMissing)) ?? []
}

function orMissing(error: unknown): undefined {
  if (!['ENOENT', 'ENOTDIR'].includes(codeOf(error))) throw error
}
