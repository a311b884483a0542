import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { ACCEPTED, licencePage, shippedPackages } from './scripts/licences.ts'
import { readLock, withoutDev } from './scripts/lock-file.ts'

const root = import.meta.dirname

it('docs/internals/licences.md lists what the lock file has (npm run licences rewrites it)', () => {
  expect(readFileSync(join(root, 'docs/internals/licences.md'), 'utf8')).toBe(licencePage())
})

it('every dependency may be part of an MIT product', () => {
  const wrong = shippedPackages().filter(({ licence }) => !isAccepted(licence))
  expect(wrong.map(({ name, licence }) => `${name}: ${licence}`)).toEqual([])
})

it('npm ci leaves out what only tests, docs and benchmarks need (npm run lock writes it)', () => {
  const { packages } = readLock()
  expect(packages).toEqual(withoutDev(packages))
  const { vitest, vitepress, vite } = Object.fromEntries(
    ['vitest', 'vitepress', 'vite'].map((name) => [name, packages[`node_modules/${name}`]?.dev === true]),
  )
  expect([vitest, vitepress, vite]).toEqual([true, true, false])
})

it('the lock file names no registry, so that any mirror can be used', () => {
  const addresses = Object.values(readLock().packages).filter(({ resolved }) => resolved?.includes(':'))
  expect(addresses).toEqual([])
})

it('every dependency is pinned: an exact version in package.json, a checksum in the lock file', () => {
  const loose = ['.', 'contract', 'generators', 'server', 'sdk', 'web'].flatMap((folder) => {
    const { dependencies = {}, devDependencies = {} } = JSON.parse(
      readFileSync(join(root, folder, 'package.json'), 'utf8'),
    )
    return Object.entries({ ...dependencies, ...devDependencies }).filter(
      ([, version]) => !/^\d+\.\d+\.\d+[\w.-]*$/.test(String(version)),
    )
  })
  expect(loose).toEqual([])
  expect(
    shippedPackages()
      .filter(({ integrity }) => !integrity?.startsWith('sha512-'))
      .map(({ name }) => name),
  ).toEqual([])
})

/** `(MIT OR Apache-2.0)`: one of them is enough. `MIT AND ISC`: both are needed. */
function isAccepted(licence: string): boolean {
  const choices = licence.replace(/[()]/g, '').split(' OR ')
  return choices.some((choice) => choice.split(' AND ').every((one) => ACCEPTED.includes(one.trim())))
}
