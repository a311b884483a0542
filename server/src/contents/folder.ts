import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { codeOf } from '../storage/engines/storage-trouble.ts'
import { type ContentStore, contentsIn, type Objects } from './content-store.ts'
import { whileThereIsSpace } from './draft.ts'

/** Contents in a folder: `<workspace>/<two digits>/<hash>`. */
export function folderStore(root: string): ContentStore {
  return contentsIn(folderObjects(root), {
    keyOf: ({ workspace_id, sha256 }) => `${workspace_id}/${sha256.slice(0, 2)}/${sha256}`,
    form: /^([0-7][0-9a-hjkmnp-tv-z]{25})\/[\da-f]{2}\/([\da-f]{64})$/,
  })
}

/** Objects in a folder: a key is a path below it. */
export function folderObjects(root: string): Objects {
  const pathOf = (key: string) => join(root, key)
  return {
    drafts: pathOf(DRAFTS),
    put: (key, draft) =>
      whileThereIsSpace(async () => {
        const path = pathOf(key)
        await makeFlushedFolder(dirname(path))
        await rename(draft.path, path)
        await flushFolder(dirname(path))
      }),
    async open(key, range) {
      const file = await open(pathOf(key)).catch(orMissing)
      return file && { size: (await file.stat()).size, bytes: file.createReadStream(range) }
    },
    remove: (key) => rm(pathOf(key), { force: true }),
    list: () => filesBelow(root, ''),
  }
}

const DRAFTS = 'drafts'

async function* filesBelow(root: string, folder: string): AsyncGenerator<{ key: string; size: number }> {
  for (const name of (await readdir(join(root, folder)).catch(orMissing)) ?? []) {
    const key = join(folder, name)
    if (key === DRAFTS) continue
    const found = await stat(join(root, key)).catch(orMissing)
    if (found?.isDirectory()) yield* filesBelow(root, key)
    else if (found?.isFile()) yield { key, size: found.size }
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

function orMissing(error: unknown): undefined {
  if (!['ENOENT', 'ENOTDIR'].includes(codeOf(error))) throw error
}
