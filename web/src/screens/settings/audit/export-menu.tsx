import type { AuditedKind } from '@kith/contract/app/audit'
import { Download, FileJson, FileSpreadsheet } from 'lucide-react'
import { auditFile } from '../../../api/audit.ts'
import { useSlug } from '../../../api/workspace.ts'
import { Button } from '../../../components/button.tsx'
import { Menu, MenuContent, MenuItem, MenuTrigger } from '../../../components/menu.tsx'

/** The whole log as a file, or the entries about one kind of thing. */
export function ExportMenu({ kind }: { kind: AuditedKind | undefined }) {
  const slug = useSlug()
  return (
    <Menu>
      <MenuTrigger asChild>
        <Button>
          <Download aria-hidden />
          Export
        </Button>
      </MenuTrigger>
      <MenuContent align="end">
        <MenuItem icon={<FileSpreadsheet />} onSelect={() => download(auditFile(slug, 'csv', kind))}>
          CSV, for spreadsheets
        </MenuItem>
        <MenuItem icon={<FileJson />} onSelect={() => download(auditFile(slug, 'ndjson', kind))}>
          NDJSON, for programs
        </MenuItem>
      </MenuContent>
    </Menu>
  )
}

/** The browser itself takes the file, however long it is. */
function download(url: string): void {
  const link = document.createElement('a')
  link.href = url
  link.download = ''
  link.click()
}
