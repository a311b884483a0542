import { generateKeyPairSync } from 'node:crypto'
import { readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { installation, newFolder } from '../../installation.ts'

it('kith backup makes a folder, keeps the latest backups in it, and verifies one without restoring it', async () => {
  const { kith } = await installation()
  await kith('migrate')
  const folder = join(newFolder(), 'not', 'there', '/')
  const first = await kith('backup', folder, '--json')
  expect(first).toMatchObject({ code: 0, stderr: '' })
  const old = ['kith-20200101T000000Z.kith', 'kith-20200102T000000Z.kith', 'notes.txt']
  for (const name of old) writeFileSync(join(folder, name), '')
  // The next one may be of the same second, and would have the same name.
  renameSync(JSON.parse(first.stdout).file, join(folder, old[0] ?? ''))
  const { stdout } = await kith('backup', '--keep', '1', folder, '--json')
  const { file, deleted, rows } = JSON.parse(stdout)
  expect(deleted).toEqual(expect.arrayContaining(old.slice(0, 2)))
  expect(readdirSync(folder).map((name) => join(folder, name))).toEqual([file, join(folder, 'notes.txt')])

  const verified = await kith('backup', '--verify', file, '--json')
  expect(JSON.parse(verified.stdout)).toMatchObject({ file, rows })
  const bytes = readFileSync(file)
  writeFileSync(file, bytes.subarray(0, bytes.length - 40))
  expect(await kith('backup', '--verify', file)).toMatchObject({ code: 1, stderr: expect.stringMatching(/damaged/) })
  expect(await kith('backup', '--keep', '3', file)).toMatchObject({ code: 2 })
})

it('a backup that is encrypted to a key is verified and restored with the private one only', async () => {
  const [{ kith }, other] = [await installation(), await installation()]
  const folder = newFolder()
  await kith('migrate')
  const pairs = ['own', 'foreign'].map((name) => {
    const { publicKey, privateKey } = generateKeyPairSync('x25519')
    writeFileSync(join(folder, `${name}.pub`), publicKey.export({ format: 'pem', type: 'spki' }))
    writeFileSync(join(folder, `${name}.key`), privateKey.export({ format: 'pem', type: 'pkcs8' }))
    return { open: join(folder, `${name}.pub`), secret: join(folder, `${name}.key`) }
  })
  const [own = { open: '', secret: '' }, foreign = { open: '', secret: '' }] = pairs
  await kith('user', 'create', '--email', 'ada@example.com', '--name', 'Ada')
  const unclear = await kith('backup', join(folder, 'plain.kith'), '--key', own.secret)
  expect(unclear).toMatchObject({ code: 2, stderr: expect.stringContaining('use --encrypt-to') })
  const { stdout } = await kith('backup', `${folder}/`, '--encrypt-to', own.open, '--json')
  const { file } = JSON.parse(stdout)
  expect(file).toMatch(/\.kith\.enc$/)

  const verify = async (...args: string[]) => {
    const { code, stderr } = await kith('backup', '--verify', file, ...args)
    return { code, stderr }
  }
  expect(await verify('--key', own.secret)).toEqual({ code: 0, stderr: '' })
  expect(await verify()).toMatchObject({ code: 1, stderr: expect.stringContaining('--key FILE') })
  expect(await verify('--key', foreign.secret)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('another key'),
  })
  expect(await verify('--key', own.open)).toMatchObject({ code: 1, stderr: expect.stringContaining('openssl genpkey') })
  expect(await other.kith('restore', file, '--key', own.secret)).toMatchObject({ code: 0, stderr: '' })
  expect((await other.kith('user', 'list')).stdout).toContain('ada@example.com')

  const bytes = readFileSync(file)
  bytes.writeUInt8(bytes.readUInt8(bytes.length - 1) ^ 1, bytes.length - 1)
  writeFileSync(file, bytes)
  expect(await verify('--key', own.secret)).toMatchObject({ code: 1, stderr: expect.stringContaining('damaged') })
})
