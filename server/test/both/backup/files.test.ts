import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { beforeAll, describe, expect, it } from 'vitest'
import { testDatabase } from '../../engine.ts'
import { installation, newFolder } from '../../installation.ts'
import { ownService } from '../../own-service.ts'
import { runKith } from '../../run-kith.ts'
import { newFile, newRecord, sha256 } from '../files/files.ts'

const folder = newFolder()
const backup = join(newFolder(), 'all.kith')
const large = Buffer.alloc(1_000_000, 'large file ')

let env: Readonly<Record<string, string>>
let token: string
let paths: string[]

/** Where a content is in a folder. */
const pathIn = (root: string, workspaceId: string, bytes: string | Buffer) => {
  const hash = sha256(bytes)
  return join(root, workspaceId, hash.slice(0, 2), hash)
}
let contentPath: (root: string, bytes: string | Buffer) => string

beforeAll(async () => {
  const own = await ownService({ FILES_URL: `file:${folder}` })
  env = own.env
  const { api, id } = await own.workspace()
  token = api.token
  contentPath = (root, bytes) => pathIn(root, id, bytes)
  const record = await newRecord({ api })
  const files = [
    await newFile(api, record, 'large', large),
    await newFile(api, record, 'small', 'small'),
    await newFile(api, record, 'same', 'small'),
    await newFile(api, record, 'lost', 'lost'),
    await newFile(api, record, 'damaged', 'damaged'),
  ]
  paths = files.map((file) => `/files/${file.id}/content`)
  rmSync(contentPath(folder, 'lost'))
  writeFileSync(contentPath(folder, 'damaged'), 'demagad')
})

describe('kith backup', () => {
  it('contains the files, says what is missing, and --verify checks every hash', async () => {
    const made = await runKith(['backup', backup, '--json'], env)
    expect(made.code, made.stderr).toBe(0)
    expect(JSON.parse(made.stdout)).toMatchObject({ contents: 2, missing: 2, without_files: false })
    const verified = await runKith(['backup', '--verify', backup], env)
    expect([verified.code, verified.stdout]).toEqual([
      0,
      expect.stringContaining('Contents of files: 2. 2 were missing or damaged'),
    ])
    // One other byte of a content, and a checksum over all lines that is right.
    const lines = gunzipSync(readFileSync(backup)).toString().trimEnd().split('\n')
    const at = lines.findIndex((line) => line.includes(Buffer.from('small').toString('base64')))
    lines[at] = (lines[at] ?? '').replace(
      Buffer.from('small').toString('base64'),
      Buffer.from('smell').toString('base64'),
    )
    const end = JSON.parse(lines.pop() ?? '')
    const text = `${lines.join('\n')}\n`
    const broken = join(newFolder(), 'broken.kith')
    writeFileSync(broken, gzipSync(`${text}${JSON.stringify({ ...end, sha256: sha256(text) })}\n`))
    const refused = await runKith(['backup', '--verify', broken], env)
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('is damaged or incomplete')])
    const target = await installation(undefined, env.SECRET, testDatabase)
    const restored = await target.kith('restore', broken)
    expect([restored.code, restored.stderr]).toEqual([1, expect.stringContaining('Nothing was restored')])
  })

  it('--without-files leaves them out and says so, and so do --verify and restore', async () => {
    const file = join(newFolder(), 'without.kith')
    const said = 'It does not contain the files: it was made with --without-files.'
    for (const args of [
      ['backup', file, '--without-files'],
      ['backup', '--verify', file],
    ]) {
      expect((await runKith(args, env)).stdout).toContain(said)
    }
    const target = await installation(undefined, env.SECRET, testDatabase)
    expect((await target.kith('restore', file)).stdout).toContain(said)
  })
})

describe('kith restore', () => {
  it('brings the files back, and content that was missing stays missing', async () => {
    const target = await installation(undefined, env.SECRET, testDatabase)
    const root = newFolder()
    const restored = await runKith(['restore', backup], { ...target.env, FILES_URL: `file:${root}` })
    expect(restored.code, restored.stderr).toBe(0)
    expect(restored.stdout).toContain('Contents of files: 2. 2 were missing or damaged')
    expect(['lost', 'damaged'].map((text) => existsSync(contentPath(root, text)))).toEqual([false, false])
    const service = await target.start({ FILES_URL: `file:${root}` })
    const headers = { Authorization: `Bearer ${token}` }
    const answers = await Promise.all(paths.map((path) => fetch(`${service.url}/api/v1${path}`, { headers })))
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 404, 404])
    const [first, second] = await Promise.all(answers.map((answer) => answer.bytes()))
    expect([sha256(first ?? ''), sha256(second ?? '')]).toEqual([sha256(large), sha256('small')])
    await service.stop()
  })
})

describe('kith doctor', () => {
  it('reports missing and unused files', async () => {
    const filesIn = async (settings: Readonly<Record<string, string>> = {}) => {
      const { stdout } = await runKith(['doctor', '--json'], { ...env, ...settings })
      return JSON.parse(stdout).find(({ check }: { check: string }) => check === 'files')
    }
    const unused = contentPath(folder, 'unused')
    mkdirSync(dirname(unused), { recursive: true })
    writeFileSync(unused, 'unused')
    const found = await filesIn()
    expect(found.state).toBe('problem')
    expect(found.text).toContain('1 of 4 contents of files are missing')
    expect(found.text).toContain(sha256('lost'))
    expect(found.text).toContain('1 (0.0 GB) belong to no file')
    const elsewhere = await filesIn({ FILES_URL: `file:${newFolder()}` })
    expect(elsewhere.text).toContain('4 of 4 contents of files are missing')
    writeFileSync(contentPath(folder, 'lost'), 'lost')
    writeFileSync(contentPath(folder, 'damaged'), 'damaged')
    rmSync(unused)
    expect(await filesIn()).toMatchObject({ state: 'ok', text: `All 4 contents of files are in file:${folder}.` })
  })
})
