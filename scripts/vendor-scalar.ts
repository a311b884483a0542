import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brotliCompressSync } from 'node:zlib'
import { SCALAR_VERSION } from '../server/src/http/reference-page.ts'

/**
 * Copies the one file that the interactive reference needs from @scalar/api-reference and compresses it.
 * As a dependency, the package would add 270 others and 290 MB. npm checks the checksum of the download.
 */
const folder = mkdtempSync(join(tmpdir(), 'kith-scalar-'))
execFileSync('npm', ['pack', `@scalar/api-reference@${SCALAR_VERSION}`, '--pack-destination', folder])
execFileSync('tar', ['-xzf', join(folder, `scalar-api-reference-${SCALAR_VERSION}.tgz`), '-C', folder])
const bundle = readFileSync(join(folder, 'package/dist/browser/standalone.js'))
writeFileSync(new URL('../server/reference/scalar.js.br', import.meta.url), brotliCompressSync(bundle))
rmSync(folder, { recursive: true })
