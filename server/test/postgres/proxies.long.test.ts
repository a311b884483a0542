import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { type Api, apiAt } from '../api.ts'
import { installation, newFolder } from '../installation.ts'
import { freePort } from '../setup/postgres.ts'
import type { Service } from '../setup/service.ts'
import { newWorkspace, runtimeAt } from '../workspace.ts'
import { runProgram } from './debian-program.ts'

const GUIDE = readFileSync(new URL('../../../docs/operate/scaling.md', import.meta.url), 'utf8')

type Ports = { proxy: number; nodes: readonly [number, number] }

/** A configuration as docs/operate/scaling.md has it, for nodes and a proxy on this machine. */
function documented(language: 'nginx' | 'caddyfile', { proxy, nodes }: Ports): string {
  const text = GUIDE.match(new RegExp(`\`\`\`${language}\\n(.*?)\`\`\``, 's'))?.[1]
  if (text === undefined) throw new Error(`docs/operate/scaling.md has no configuration for ${language}.`)
  return text
    .replace('10.0.0.11:3000', `127.0.0.1:${nodes[0]}`)
    .replace('10.0.0.12:3000', `127.0.0.1:${nodes[1]}`)
    .replace('listen 443 ssl;', `listen 127.0.0.1:${proxy};`)
    .replace(/\tssl_.*\n/g, '')
    .replace(/^crm\.example\.com \{/, `http://127.0.0.1:${proxy} {`)
}

async function startNginx(ports: Ports): Promise<void> {
  const folder = newFolder()
  const file = join(folder, 'nginx.conf')
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${folder}/${name};`,
  )
  const user = process.getuid?.() === 0 ? 'user root;' : ''
  writeFileSync(
    file,
    `${user} daemon off; master_process off; pid ${folder}/pid; error_log ${folder}/error.log;
events {}
http { access_log off; ${temporary.join(' ')}
${documented('nginx', ports)}}`,
  )
  await runProgram({ path: '/usr/sbin/nginx', args: ['-p', folder, '-c', file], port: ports.proxy })
}

async function startCaddy(ports: Ports): Promise<void> {
  const file = join(newFolder(), 'Caddyfile')
  writeFileSync(file, `{\n\tadmin off\n\tauto_https off\n}\n${documented('caddyfile', ports)}`)
  const args = ['run', '--adapter', 'caddyfile', '--config', file]
  await runProgram({ path: '/usr/bin/caddy', args, port: ports.proxy })
}

const CLIENTS = 8

type Load = { names: string[]; failed: string[]; requests: number }

/** Creates, lists and updates until it is told to stop. */
async function load(api: Api, seen: Load, isOver: () => boolean): Promise<void> {
  for (let number = 0; !isOver(); number++) {
    const name = `${api.token.slice(-6)} ${seen.names.length} ${number}`
    const created = await counted(seen, () => api.post('/companies', { name }))
    if (created?.status === 201) {
      seen.names.push(name)
      await counted(seen, () => api.patch(`/companies/${created.body.data.id}`, { name: `${name} again` }))
    }
    await counted(seen, () => api.get('/companies?per_page=5'))
  }
}

async function counted(seen: Load, send: () => ReturnType<Api['get']>) {
  seen.requests++
  try {
    const answered = await send()
    if (answered.status >= 400) seen.failed.push(`${answered.status} ${answered.text.slice(0, 200)}`)
    return answered
  } catch (error) {
    seen.failed.push(String(error))
    return undefined
  }
}

it.each([
  { name: 'nginx', start: startNginx },
  { name: 'Caddy', start: startCaddy },
])(
  'with the documented configuration of $name both nodes restart and no request fails',
  { timeout: 600_000 },
  async ({ start }) => {
    const place = await installation('postgres')
    const ports: Ports = { proxy: await freePort(), nodes: [await freePort(), await freePort()] }
    const settings = { DRAIN_SECONDS: '10', TRUST_PROXY: 'loopback' }
    const startNode = (port: number) => place.start({ ...settings, PORT: String(port) })
    const nodes: Service[] = []
    for (const port of ports.nodes) nodes.push(await startNode(port))
    await start(ports)
    const runtime = runtimeAt(place.database.url, place.env.SECRET ?? '')
    const workspace = await newWorkspace({ url: `http://127.0.0.1:${ports.nodes[0]}`, runtime })
    const tokens = await Promise.all(Array.from({ length: CLIENTS }, () => workspace.token()))
    const seen: Load = { names: [], failed: [], requests: 0 }
    let over = false
    const loads = tokens.map(({ token }) => load(apiAt(`http://127.0.0.1:${ports.proxy}`, token), seen, () => over))
    await setTimeout(2000)
    for (const [index, port] of ports.nodes.entries()) {
      expect(await nodes[index]?.stop()).toBe(0)
      nodes[index] = await startNode(port)
      // As long as both proxies may take to use it again.
      await setTimeout(6000)
    }
    over = true
    await Promise.all(loads)
    expect(seen.failed).toEqual([])
    expect(seen.requests).toBeGreaterThan(1000)
    const { body } = await workspace.api.get('/companies?per_page=1')
    expect(body.meta.total).toBe(seen.names.length)
    await runtime.engine.close()
  },
)
