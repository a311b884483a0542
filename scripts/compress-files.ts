import { readdirSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, gzip } from 'node:zlib'

/** Writes each text file also in the two encodings that browsers take, so that the service has nothing to compress. */
export async function compressFiles(folder: string): Promise<void> {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  await Promise.all(
    names
      .filter((name) => /\.(js|css|html|svg|json)$/.test(name))
      .map(async (name) => {
        const text = await readFile(join(folder, name))
        await writeFile(join(folder, `${name}.gz`), await promisify(gzip)(text, { level: 9 }))
        await writeFile(join(folder, `${name}.br`), await promisify(brotliCompress)(text))
      }),
  )
}
