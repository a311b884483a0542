import { once } from 'node:events'
import { connect } from 'node:net'
import { beforeAll, expect, inject, it } from 'vitest'
import { readResults } from '../../../src/jobs/job.ts'
import { readCsv } from '../../exported.ts'
import { inRun } from '../../run-length.ts'
import { newWorkspace, type TestWorkspace } from '../../workspace.ts'
import { imported, newImport, pathsOf, resultFile, sendFile } from './jobs.ts'

const ERRORS = inRun({ short: 1000, long: 1_000_000 })

let workspace: TestWorkspace

beforeAll(async () => {
  workspace = await newWorkspace()
})

it('a file that was cut off or has another encoding is refused, with what to do', async () => {
  const { api } = workspace
  const id = await newImport(api)
  const files: [file: Uint8Array, problem: RegExp][] = [
    [Buffer.from('name\nZoë\n"Cut'), /^Row 2 has a quote that is never closed\. The file was cut off there/],
    [Buffer.from('name\nZoë\nZoë').subarray(0, -1), /^The file ends in the middle of a character\./],
    [Buffer.from([0x6e, 0x0a, 0xe9, 0x81, 0x20]), /^The file is neither UTF-8 nor Windows-1252\. UTF-8, UTF-16 and/],
  ]
  for (const [file, problem] of files) {
    const answer = await sendFile(api, id, file)
    expect(pathsOf(answer)).toEqual(['file'])
    expect(answer.body.message).toMatch(problem)
  }
  await api.put(`/jobs/${id}/cancel`)
})

it('a client that reads only after it has sent a whole file learns why its beginning is refused', async () => {
  const { api } = workspace
  const id = await newImport(api)
  const file = `name\n"${'x'.repeat(24 * 1024 * 1024)}"\n`
  const { hostname, port } = new URL(inject('service').url)
  const socket = connect(Number(port), hostname)
  socket.write(`PUT /api/v1/jobs/${id}/file HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: text/csv\r\n`)
  socket.write(`Authorization: Bearer ${api.token}\r\nContent-Length: ${file.length}\r\n\r\n`)
  await new Promise((sent) => socket.write(file, sent))
  const [answer] = await once(socket.setEncoding('utf8'), 'data')
  expect(answer).toMatch(/^HTTP\/1\.1 422 .*Row 1 is longer than 2 MiB\./s)
  socket.destroy()
  await api.put(`/jobs/${id}/cancel`)
})

it('2,000 columns: unknown ones fail the job with a short message, and mapped ones are left out', async () => {
  const { api } = workspace
  const columns = Array.from({ length: 1999 }, (_, index) => `Column ${index}`)
  const file = `name,${columns.join(',')}\nWide,${columns.join(',')}\n`
  const failed = await imported(api, file)
  expect(failed.attributes).toMatchObject({ state: 'failed', progress: { rows: 1, done: 0 } })
  expect(failed.attributes.message).toMatch(/"Column 9" and 1989 more are neither mapped nor known\./)
  expect(String(failed.attributes.message).length).toBeLessThan(2000)
  const mapping = Object.fromEntries(columns.map((column) => [column, null]))
  const done = await imported(api, file, { mapping })
  expect(done.attributes).toMatchObject({ state: 'done', progress: { created: 1 } })
})

it(`${ERRORS} errors: the job is done, and the failed rows can be read as a file`, { timeout: 3_600_000 }, async () => {
  const { api } = workspace
  const file = `name,Domains\n${',not a domain\n'.repeat(ERRORS)}`
  const job = await imported(api, file)
  expect(job.attributes).toMatchObject({ state: 'done', progress: { rows: ERRORS, done: ERRORS, failed: ERRORS } })
  const failed = await resultFile(api, job.id, '?format=csv')
  expect(failed.split('\r\n')).toHaveLength(ERRORS + 2)
  expect(failed.slice(0, 200)).toMatch(
    /^name,Domains,errors\r\n,not a domain,"The name field is required\. The Domains/,
  )
})

it('long failed rows are read in parts', async () => {
  const { api } = workspace
  const scope = await workspace.scope()
  const rows = Array.from({ length: 4 }, (_, index) => `,${index}${'x'.repeat(600_000)}`)
  const job = await imported(api, `name,text\n${rows.join('\n')}\n`, { mapping: { text: null } })
  expect(job.attributes.progress).toMatchObject({ failed: 4 })
  const parts: string[] = []
  for (let after: number | null = 0; after !== null; ) {
    const part = await readResults(scope, {
      id: job.id,
      asked: { raw: { format: 'csv' }, loose: true, issues: [] },
      after,
    })
    parts.push(part.text)
    after = part.next
  }
  expect(Math.max(...parts.map((text) => text.length))).toBeLessThan(1_000_000)
  const file = await resultFile(api, job.id, '?format=csv')
  expect(file).toBe(parts.join(''))
  expect(file.match(/^,\dx{600000},/gm)).toHaveLength(4)
})

it('formulas are stored as they are, and escaped where a spreadsheet reads them', async () => {
  const { api } = workspace
  const names = ['=1+1', "'=2+2", '@SUM(A1)', '-3', '+49 30 1']
  const job = await imported(api, `name\n${names.join('\n')}\n`)
  expect(job.attributes.progress).toMatchObject({ created: 5 })
  const { body } = await api.get('/companies?sort=created_at&per_page=100')
  const stored = body.data.map((one: { attributes: { name: string } }) => one.attributes.name)
  // An apostrophe in front of a formula is that of an export.
  expect(stored.slice(-5)).toEqual(['=1+1', '=2+2', '@SUM(A1)', '-3', '+49 30 1'])
  const cells = (await readCsv(api, '/companies/export?format=csv&fields=name')).map(([, name]) => name)
  expect(cells.slice(-5)).toEqual(["'=1+1", "'=2+2", "'@SUM(A1)", '-3', '+49 30 1'])
})
