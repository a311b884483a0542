import { describe, expect, test } from 'vitest'
import { abilities, type roles } from './abilities.ts'
import { type Permission, permissions, roleMay } from './permissions.ts'

describe('7. Roles', () => {
  test('a viewer only reads, and keeps what is their own', () => {
    expect(abilities.filter((ability) => roleMay('viewer', ability))).toEqual(['read'])
    expect(allowedTo('viewer')).toEqual(['read', 'save_views', 'make_tokens'])
  })

  test('members write records and manage nothing', () => {
    expect(allowedTo('member')).toEqual([
      'read',
      'create',
      'update',
      'delete',
      'save_views',
      'share_views',
      'make_tokens',
    ])
  })

  test('admins manage members and fields; the owner also billing and deletion', () => {
    const onlyOwners = ['manage_owners', 'manage_billing', 'delete_workspace']
    expect(allowedTo('owner')).toEqual(Object.keys(permissions))
    expect(allowedTo('admin')).toEqual(Object.keys(permissions).filter((name) => !onlyOwners.includes(name)))
  })

  function allowedTo(role: (typeof roles)[number]): string[] {
    // The keys of the table are its names.
    return (Object.keys(permissions) as Permission[]).filter((permission) => roleMay(role, permission))
  }
})
