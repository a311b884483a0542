import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brotliCompressSync } from 'node:zlib'
import { SCALAR_VERSION } from '../server/src/http/reference-page.ts'

/**
 * Takes the one file that the interactive reference needs out of @scalar/api-reference, compressed.
 * As a dependency the package would bring 270 others along, 290 MB in all. npm checks what it fetches.
 */
const folder = mkdtempSync(join(tmpdir(), 'kith-scalar-'))
execFileSync('npm', ['pack', `@scalar/api-reference@${SCALAR_VERSION}`, '--pack-destination', folder])
execFileSync('tar', ['-xzf', join(folder, `scalar-api-reference-${SCALAR_VERSION}.tgz`), '-C', folder])
const bundle = readFileSync(join(folder, 'package/dist/browser/standalone.js'))
writeFileSync(new URL('../server/reference/scalar.js.br', import.meta.url), brotliCompressSync(bundle))
rmSync(folder, { recursive: true })
