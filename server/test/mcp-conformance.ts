import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { createServer, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { whenFileEnds } from './when-file-ends.ts'

export type Check = { id: string; status: string; errorMessage?: string }

/** The checks of every scenario of a revision, in the order of their names. */
export type Conformance = Record<string, Check[]>

const suite = fileURLToPath(import.meta.resolve('@modelcontextprotocol/conformance/dist/index.js'))

/** Runs the scenarios of a revision in the official suite, which is a command. */
export async function runConformance(url: string, revision: string): Promise<Conformance> {
  const folder = mkdtempSync(join(tmpdir(), 'kith-conformance-'))
  try {
    const options = ['server', '--url', `${url}/mcp`, '--requirements', revision, '-o', folder, '--timeout', '120000']
    const child = spawn(process.execPath, [suite, ...options], { stdio: 'ignore' })
    // Its exit code is about scenarios that need the test server of the suite.
    await once(child, 'exit')
    return checksIn(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Each scenario has a folder: `server-`, its name and the time. */
function checksIn(folder: string): Conformance {
  const named = readdirSync(folder).map((name) => {
    const scenario = name.replace(/^server-/, '').replace(/-\d{4}-\d\d-\d\dT.*$/, '')
    return [scenario, JSON.parse(readFileSync(join(folder, name, 'checks.json'), 'utf8'))] as const
  })
  return Object.fromEntries(named.sort(([one], [other]) => (one < other ? -1 : 1)))
}

/** Adds the token to every request, because the suite sends none. `serveAt` says where the requests go. */
export async function proxyWithToken(): Promise<{ url: string; serveAt(url: string, token: string): void }> {
  let target = { url: '', token: '' }
  const proxy = createServer((asked, answer) => {
    const headers = { ...asked.headers, authorization: `Bearer ${target.token}` }
    const forwarded = request(new URL(asked.url ?? '/', target.url), { method: asked.method, headers }, (response) => {
      answer.writeHead(response.statusCode ?? 500, response.headers)
      response.pipe(answer)
    })
    forwarded.on('error', () => answer.destroy())
    asked.pipe(forwarded)
  }).listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  whenFileEnds(() => {
    proxy.closeAllConnections()
    proxy.close()
  })
  const address = proxy.address()
  if (address === null || typeof address === 'string') throw new Error('The proxy has no port.')
  return {
    url: `http://127.0.0.1:${address.port}`,
    serveAt(url, token) {
      target = { url, token }
    },
  }
}
