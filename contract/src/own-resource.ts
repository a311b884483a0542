import { optionColor } from './field-definition.ts'
import { RESOURCE_NAME_MAX } from './limits.ts'
import { RESOURCE_CODE } from './resource-code.ts'
import * as is from './shape.ts'

export const resourceIcons = [
  'archive',
  'award',
  'banknote',
  'bell',
  'book',
  'box',
  'briefcase',
  'building',
  'calendar',
  'camera',
  'car',
  'chart',
  'clipboard',
  'clock',
  'cloud',
  'credit-card',
  'database',
  'file',
  'flag',
  'folder',
  'gift',
  'globe',
  'graduation-cap',
  'handshake',
  'heart',
  'home',
  'key',
  'layers',
  'leaf',
  'lightbulb',
  'map-pin',
  'megaphone',
  'package',
  'phone',
  'plane',
  'receipt',
  'rocket',
  'server',
  'shield',
  'shopping-cart',
  'star',
  'store',
  'tag',
  'ticket',
  'trophy',
  'truck',
  'user',
  'users',
  'wrench',
  'zap',
] as const
export type ResourceIcon = (typeof resourceIcons)[number]

const DESCRIPTION_MAX = 1000

const icon = is.checked<string | null>(
  { type: ['string', 'null'], enum: [...resourceIcons, null] },
  (raw) => resourceIcons.find((one) => one === raw),
  `must be null or one of: ${resourceIcons.join(', ')}.`,
  null,
)

const name = is.line({
  maxLength: RESOURCE_NAME_MAX,
  says: 'Of all records, such as Projects. Unique in the workspace.',
})
const singular = is.line({ maxLength: RESOURCE_NAME_MAX, says: 'Of one record, such as Project.' })

const code = is.text({ pattern: RESOURCE_CODE, says: 'In paths and types, such as projects. Never changes.' })
const singular_code = is.text({ pattern: RESOURCE_CODE, says: 'In names such as project_ids. Never changes.' })

const looks = {
  description: is.orNull(is.remark({ maxLength: DESCRIPTION_MAX, says: 'What the records are.' })),
  icon: is.orNull(icon),
  color: is.orNull(optionColor),
} as const

/** A resource as a workspace creates it. The codes are made from the names unless they are sent. */
export const newResource = {
  name,
  singular,
  code: is.orNull(is.unread(code)),
  singular_code: is.orNull(is.unread(singular_code)),
  ...looks,
} as const

export const resourceChanges = {
  name: is.maybe(name),
  singular: is.maybe(singular),
  ...looks,
} as const

export const resourceOrder = {
  codes: is.list(is.text(), { says: 'The codes of all own resources that are not archived, in their order.' }),
} as const

/** How a schema shows what a resource is called. */
export const shownResource = {
  own: is.flag('Whether the workspace has made it.'),
  name: is.text({ maxLength: RESOURCE_NAME_MAX }),
  singular: is.text({ maxLength: RESOURCE_NAME_MAX }),
  singular_code: is.text({ pattern: RESOURCE_CODE }),
  description: is.orNull(is.text()),
  icon: is.orNull(icon),
  color: is.orNull(optionColor),
  position: is.whole({ says: 'The place among the own resources. 0 for the others.' }),
  created_at: is.time(),
  updated_at: is.time(),
  archived_at: is.orNull(is.time()),
} as const

export const resourceComponents = {
  ResourceCreate: is.sentSchema(newResource),
  ResourceUpdate: is.sentSchema(resourceChanges),
  ResourceOrder: is.sentSchema(resourceOrder),
}
