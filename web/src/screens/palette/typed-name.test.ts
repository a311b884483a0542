import { expect, it } from 'vitest'
import { labelled } from './typed-name.ts'

it.each([
  ['', 'New company', ''],
  ['new comp', 'New company', ''],
  ['Company', 'New company', ''],
  ['Acme', 'New company “Acme”', 'Acme'],
  [' new company  Acme Ltd ', 'New company “Acme Ltd”', 'Acme Ltd'],
  ['new companyAcme', 'New company “new companyAcme”', 'new companyAcme'],
])('“%s” in the search offers %s', (typed, label, name) => {
  expect(labelled('New company', typed)).toEqual({ label, name })
})
