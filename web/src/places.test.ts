import { expect, it } from 'vitest'
import { pathOf, resourceParams } from './places.ts'

it('a resource that is called like a screen of the workspace has an address of its own', () => {
  expect(pathOf('acme', 'projects')).toBe('/acme/projects')
  expect(pathOf('acme', 'settings', '1')).toBe('/acme/settings-/1')
  for (const resource of ['projects', 'settings', 'duplicates']) {
    expect(resourceParams.parse(resourceParams.stringify({ resource }))).toEqual({ resource })
  }
})
