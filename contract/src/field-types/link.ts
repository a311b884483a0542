import { excerpt } from '../excerpt.ts'
import type { FieldType } from '../field-type.ts'
import { withoutWww } from '../host.ts'
import { LINK_MAX } from '../limits.ts'
import { matchedList } from './matched-list.ts'
import { parseWebAddress } from './web-address.ts'

const FORMS = `an http or https address of at most ${LINK_MAX} characters, such as https://example.com/about`

export const link: FieldType = matchedList({
  name: 'link',
  kind: 'Links',
  alikeBy: 'host',
  hosts: 'drop www',
  searched: 'text',
  example: { value: 'https://example.com/ada', sought: 'example.com/ada' },
  parseValue(text, { field, path, report }) {
    const address = parseWebAddress(text)
    if (address === undefined)
      report(path, `The ${field.name} value ${excerpt(text)} must be ${FORMS}, without spaces, user name or password.`)
    return address?.text
  },
  matchKey: (stored) => parseWebAddress(stored)?.matchKey ?? stored,
  hostKey(stored) {
    const host = parseWebAddress(stored)?.host
    return host === undefined ? null : withoutWww(host)
  },
})
