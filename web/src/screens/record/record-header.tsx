import { roleMay } from '@kith/contract/permissions'
import { registry } from '@kith/contract/registry'
import { Link, useNavigate } from '@tanstack/react-router'
import { Copy, Ellipsis, Link2, Trash2 } from 'lucide-react'
import { useApiAddress } from '../../api/public-address.ts'
import { useRecordRemoval } from '../../api/record-removal.ts'
import { type ApiRecord, nameOf } from '../../api/records.ts'
import { useSlug, useWorkspace } from '../../api/workspace.ts'
import { copyText } from '../../components/copy-text.ts'
import { IconButton } from '../../components/icon-button.tsx'
import { Menu, MenuContent, MenuItem, MenuLine, MenuTrigger } from '../../components/menu.tsx'
import { showToast } from '../../components/toast-store.ts'
import { useShortcut } from '../../keyboard/shortcuts.ts'
import { appearances } from '../../resources.ts'
import { Crumb, Header } from '../../shell/header.tsx'
import { openedList } from '../records/opened-list.ts'
import { recordCalls } from '../use-in-api/record-calls.ts'
import { UseInApi } from '../use-in-api/use-in-api.tsx'
import { Neighbours } from './neighbours.tsx'
import { useInclude } from './record-query.ts'

/** Where the record belongs, and what can be done with it as a whole. */
export function RecordHeader({ record }: { record: ApiRecord }) {
  const slug = useSlug()
  const api = useApiAddress()
  const include = useInclude(record.type)
  const { icon: Icon, one, many } = appearances[record.type]
  const list = (
    <Link
      to="/$workspace/$resource"
      params={{ workspace: slug, resource: record.type }}
      search={openedList(slug, record.type)?.state ?? {}}
      className="text-quiet hover:text-ink"
    >
      {many}
    </Link>
  )
  return (
    <Header icon={<Icon />} title={list} tab={nameOf(record)} extra={<Crumb>{nameOf(record)}</Crumb>}>
      <Neighbours key={record.id} record={record} />
      <UseInApi
        description={`The calls that answer with this ${one}.`}
        calls={async () => recordCalls(api, record.type, { id: record.id, attributes: writable(record), include })}
      />
      <RecordMenu record={record} />
    </Header>
  )
}

function RecordMenu({ record }: { record: ApiRecord }) {
  const slug = useSlug()
  const navigate = useNavigate()
  const { role } = useWorkspace()
  const remove = useRecordRemoval(record.type)
  const { one } = appearances[record.type]
  const copy = async (text: string, what: string) => {
    await copyText(text)
    showToast({ message: `Copied the ${what}` })
  }
  const removeIt = async () => {
    await navigate({ to: '/$workspace/$resource', params: { workspace: slug, resource: record.type } })
    await remove([record.id], nameOf(record))
  }
  const copyId = () => copy(record.id, 'ID')
  useShortcut('.', 'Copy the ID', copyId)
  return (
    <Menu>
      <MenuTrigger asChild>
        <IconButton label={`More about this ${one}`}>
          <Ellipsis />
        </IconButton>
      </MenuTrigger>
      <MenuContent align="end">
        <MenuItem icon={<Copy />} keys="." onSelect={copyId}>
          Copy ID
        </MenuItem>
        <MenuItem icon={<Link2 />} onSelect={() => copy(window.location.href, 'link')}>
          Copy link
        </MenuItem>
        {roleMay(role, 'delete') && (
          <>
            <MenuLine />
            <MenuItem icon={<Trash2 />} danger onSelect={removeIt}>
              Delete {one}
            </MenuItem>
          </>
        )}
      </MenuContent>
    </Menu>
  )
}

/** The attributes that a caller can send back. */
function writable({ type, attributes }: ApiRecord): Record<string, unknown> {
  const { label, references } = registry[type]
  const written = [label, ...Object.keys(references), 'custom_fields']
  return Object.fromEntries(Object.entries(attributes).filter(([name]) => written.includes(name)))
}
