import { execFile } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, request as httpRequest } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { isLong } from '../../run-length.ts'
import { newWorkspace, type TestWorkspace } from '../../workspace.ts'

const run = promisify(execFile)
const examples = join(import.meta.dirname, '../../../../examples/two-way-sync')

/** The scripts of docs/integrate/sync.md. */
const scripts = [
  ['TypeScript', process.execPath, 'sync.ts'],
  ['Python', 'python3', 'sync.py'],
] as const

describe.each(scripts)('the two-way sync in %s', (_language, command, script) => {
  let workspace: TestWorkspace
  let folder: string
  let sync: () => Promise<unknown>
  /** Called before each request of the script arrives, until it has done its work. */
  let beforeRequest: ((method: string, url: string) => Promise<boolean>) | undefined
  const proxy = createServer(async (request, response) => {
    const { method = '', url = '', headers } = request
    if (await beforeRequest?.(method, url)) beforeRequest = undefined
    const forwarded = httpRequest(`${inject('service').url}${url}`, { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 0, answer.headers)
      answer.pipe(response)
    })
    request.pipe(forwarded)
  })

  beforeAll(async () => {
    workspace = await newWorkspace()
    folder = mkdtempSync(join(tmpdir(), 'kith-two-way-'))
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
    const { port } = proxy.address() as AddressInfo
    const { token } = await workspace.token()
    const env = { PATH: process.env.PATH, KITH_URL: `http://127.0.0.1:${port}/api`, KITH_TOKEN: token }
    sync = () => run(command, [join(examples, script), folder], { env }).catch(explain)
  })
  afterAll(() => {
    proxy.close()
    rmSync(folder, { recursive: true, force: true })
  })

  const pathOf = (id: string) => join(folder, `${id}.json`)
  const write = (id: string, name: string, domains: string[] = []) =>
    writeFileSync(pathOf(id), `${JSON.stringify({ name, domains })}\n`)
  const inFolder = () =>
    readdirSync(folder)
      .filter((name) => name.endsWith('.json'))
      .map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')))
      .map(({ name, domains }) => ({ name, domains }))
      .toSorted(byName)
  const inKith = async () => {
    const { body } = await workspace.api.get('/companies?per_page=100')
    return body.data
      .map(({ attributes }: CompanyObject) => ({ name: attributes.name, domains: attributes.custom_fields.domains }))
      .toSorted(byName)
  }
  const idOf = async (name: string): Promise<string> => {
    const { body } = await workspace.api.get(`/companies?filter[name][$eq]=${encodeURIComponent(name)}`)
    return body.data[0].id
  }
  const expectEqual = async (names: readonly string[]) => {
    expect(inFolder().map(({ name }) => name)).toEqual(names)
    expect(await inKith()).toEqual(inFolder())
  }

  it('makes both sides equal: first what each has, then what each changes, deletes and restores', async () => {
    await workspace.api.post('/companies', { name: 'From Kith', custom_fields: { domains: ['kith.example'] } })
    write('7', 'From the folder', ['folder.example'])
    await sync()
    await expectEqual(['From Kith', 'From the folder'])

    await workspace.api.patch(`/companies/${await idOf('From the folder')}`, { name: 'Renamed in Kith' })
    const kithsOwn = await idOf('From Kith')
    write(kithsOwn, 'Renamed in the folder', ['kith.example'])
    await sync()
    await expectEqual(['Renamed in Kith', 'Renamed in the folder'])

    rmSync(pathOf(kithsOwn))
    write('8', 'Second')
    await sync()
    await expectEqual(['Renamed in Kith', 'Second'])

    await workspace.api.delete(`/companies/${await idOf('Second')}`)
    await workspace.api.put(`/companies/${kithsOwn}/restore`)
    await sync()
    await expectEqual(['Renamed in Kith', 'Renamed in the folder'])
  })

  it.runIf(isLong)('sends nothing back that it has received, and receives nothing that it has sent', async () => {
    const before = await workspace.api.get('/companies')
    await sync()
    await sync()
    expect((await workspace.api.get('/companies')).body).toEqual(before.body)
  })

  it.runIf(isLong)('reports a company that Kith refuses, and sends the others', async () => {
    write('5', 'Refused', ['no domain'])
    write('6', 'Sent')
    const told = expect.stringContaining('5: The Domains value no domain must be a domain such as example.com')
    await expect(sync()).rejects.toMatchObject({ code: 1, stderr: told })
    rmSync(pathOf('5'))
    expect(await inKith()).toEqual(inFolder())
  })

  it('keeps a change that is made in Kith between its read and its write', async () => {
    // Past the first copy, which reads the changes that are made during it.
    await sync()
    const { body } = await workspace.api.post('/companies', { name: 'New in Kith' })
    const { id } = body.data
    beforeRequest = async (method) => {
      if (method === 'GET') return false
      await workspace.api.patch(`/companies/${id}`, { custom_fields: { domains: ['person.example'] } })
      write(id, 'Changed in the folder')
      return true
    }
    await sync()
    await sync()
    const { name, custom_fields } = (await workspace.api.get(`/companies/${id}`)).body.data.attributes
    expect([name, custom_fields.domains]).toEqual(['New in Kith', ['person.example']])
    expect(existsSync(join(folder, `${id}.conflict`))).toBe(true)
    expect(await inKith()).toEqual(inFolder())
  })

  it.runIf(isLong)("takes Kith's version of a company that both have changed, and keeps the other", async () => {
    await workspace.api.patch(`/companies/${await idOf('Renamed in Kith')}`, { name: 'Changed in Kith' })
    write('7', 'Changed in the folder')
    await sync()
    expect(JSON.parse(readFileSync(pathOf('7'), 'utf8')).name).toBe('Changed in Kith')
    expect(existsSync(join(folder, '7.conflict'))).toBe(true)
    expect(await inKith()).toEqual(inFolder())
  })

  it.runIf(isLong)('keeps the file of a company that was changed in the folder and deleted in Kith', async () => {
    write('9', 'Deleted in Kith')
    await sync()
    write('9', 'Changed in the folder')
    await workspace.api.delete(`/companies/${await idOf('Deleted in Kith')}`)
    await sync()
    expect(JSON.parse(readFileSync(join(folder, '9.conflict'), 'utf8')).name).toBe('Changed in the folder')
    expect(await inKith()).toEqual(inFolder())
  })

  it.runIf(isLong)(
    'a run after one that was stopped keeps what was changed in Kith between its read and its write',
    async () => {
      const stateFile = join(folder, '.sync-state')
      await sync()
      const before = readFileSync(stateFile)
      write('10', 'New in the folder')
      await sync()
      // As if the run had been stopped before it noted what it had sent.
      writeFileSync(stateFile, before)
      const id = await idOf('New in the folder')
      const change = () => workspace.api.patch(`/companies/${id}`, { name: 'Changed in Kith' })
      beforeRequest = async (method, url) => {
        if (method === 'GET' && url.includes('/changes')) return false
        await change()
        return true
      }
      await sync()
      await sync()
      expect((await workspace.api.get(`/companies/${id}`)).body.data.attributes.name).toBe('Changed in Kith')
      expect(await inKith()).toEqual(inFolder())
    },
  )
})

/** Says how to get Python and its package where one is missing. */
function explain(error: unknown): never {
  const text = String(error)
  const isMissing = text.includes('ENOENT') || text.includes('No module named')
  throw isMissing ? new Error('This test needs Python 3 with requests. Run "npm run test:install".') : error
}

type CompanyObject = { attributes: { name: string; custom_fields: { domains: string[] } } }

function byName({ name }: { name: string }, other: { name: string }): number {
  return name < other.name ? -1 : 1
}
