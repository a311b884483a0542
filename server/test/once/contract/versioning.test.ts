import { describe, expect, inject, it } from 'vitest'
import { newWorkspace } from '../../workspace.ts'

describe('9. Versioning: the version is in the URL path, the published API version is 1.0.0', () => {
  it('every published path begins with /v1, and no other version is answered', async () => {
    const { url } = inject('service')
    const { info, paths } = await (await fetch(`${url}/api/openapi.json`)).json()
    expect(info.version).toBe('1.0.0')
    expect(Object.keys(paths).filter((path) => !path.startsWith('/v1/'))).toEqual([])
    const { api } = await newWorkspace()
    const headers = { Authorization: `Bearer ${api.token}` }
    for (const version of ['v0', 'v2', 'V1', 'v1.0', 'v1.0.0']) {
      expect((await fetch(`${url}/api/${version}/companies`, { headers })).status, version).toBe(404)
    }
  })

  it('breaking changes ship under a new path version, and the previous one keeps working for at least six months', async () => {
    const { info } = await (await fetch(`${inject('service').url}/api/openapi.json`)).json()
    const promised = info.description.replaceAll('\n', ' ')
    expect(promised).toContain('The version is in the path. Breaking changes come under a new one')
    expect(promised).toContain('keeps working for at least six months after the new one is announced')
  })
})
