import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openApiDocument } from '../../src/http/openapi/document.ts'
import { freePort } from './postgres.ts'

/** What `npm run test:install -- --long` has installed. */
const TOOLS = join(import.meta.dirname, '../../../.cache/test-tools')
const PROGRAM = '@stoplight/prism-cli/dist/index.js'

/**
 * Starts Prism as a proxy in front of a service. It passes everything on, and says in a header of the answer where the
 * request and the answer deviate from the document.
 */
export async function startPrism(service: string): Promise<{ url: string; stop(): Promise<void> }> {
  const path = join(TOOLS, 'node_modules', PROGRAM)
  if (!existsSync(path)) throw new Error('The long run needs Prism. Run "npm run test:install -- --long".')
  const folder = mkdtempSync(join(tmpdir(), 'kith-prism-'))
  const document = join(folder, 'openapi.json')
  writeFileSync(document, JSON.stringify(openApiDocument(), withoutFilters))
  const port = String(await freePort())
  const { resolve } = createRequire(join(TOOLS, 'package.json'))
  const given = ['proxy', document, `${service}/api`, '--port', port, '--multiprocess', 'false', '-v', 'fatal']
  const child = spawn(process.execPath, [resolve(PROGRAM), ...given], { stdio: ['ignore', 'pipe', 'inherit'] })
  const exited = once(child, 'exit')
  const url = `http://127.0.0.1:${port}`
  while (!(await fetch(url).catch(() => undefined))) {
    if (child.exitCode !== null) throw new Error('Prism did not start.')
    await new Promise((done) => setTimeout(done, 100))
  }
  child.stdout.resume()
  return {
    url,
    async stop() {
      child.kill('SIGKILL')
      await exited
      rmSync(folder, { recursive: true })
    },
  }
}

/** Filters name each other, and Prism copies what is named: it would not get ready. Others check filters. */
function withoutFilters(key: string, value: unknown): unknown {
  return /^[A-Z]\w*Filter/.test(key) ? {} : value
}
