import { roleMay } from '@kith/contract/permissions'
import type { ResourceName } from '@kith/contract/resource'
import { useQuery } from '@tanstack/react-query'
import { Plus } from 'lucide-react'
import { useState } from 'react'
import { managedFieldsQuery } from '../../../api/managed-fields.ts'
import { useSlug, useWorkspace } from '../../../api/workspace.ts'
import { Button } from '../../../components/button.tsx'
import { ErrorState } from '../../../components/error-state.tsx'
import { ResourceTabs, useChosenResource } from '../../resource-tabs.tsx'
import { Page } from '../page.tsx'
import { RowSkeletons } from '../page-skeleton.tsx'
import { FieldList } from './field-list.tsx'
import { FieldSheet } from './field-sheet.tsx'

export function Fields() {
  const resource = useChosenResource() ?? 'companies'
  const { role } = useWorkspace()
  const [making, setMaking] = useState(false)
  const may = roleMay(role, 'manage_fields')
  return (
    <Page
      title="Custom fields"
      text="The data that records have besides their name. The API uses the code of a field, which never changes."
      action={
        may && (
          <Button look="primary" onClick={() => setMaking(true)}>
            <Plus aria-hidden />
            New field
          </Button>
        )
      }
    >
      <ResourceTabs chosen={resource} />
      <Managed key={resource} resource={resource} />
      {making && <FieldSheet resource={resource} onClose={() => setMaking(false)} />}
    </Page>
  )
}

function Managed({ resource }: { resource: ResourceName }) {
  const { data: fields, error, refetch } = useQuery(managedFieldsQuery(useSlug(), resource))
  if (error) return <ErrorState error={error} onRetry={refetch} />
  if (!fields) return <RowSkeletons />
  return <FieldList resource={resource} fields={fields} />
}
