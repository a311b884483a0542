import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { installation, newFolder } from '../../installation.ts'

it('kith backup makes a folder, keeps the latest backups in it, and verifies one without restoring it', async () => {
  const { kith } = await installation()
  const folder = join(newFolder(), 'not', 'there', '/')
  expect(await kith('backup', folder)).toMatchObject({ code: 0, stderr: '' })
  const old = ['kith-20200101T000000Z.kith', 'kith-20200102T000000Z.kith', 'notes.txt']
  for (const name of old) writeFileSync(join(folder, name), '')
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
