import { call } from '../../api/call.ts'
import { useFields } from '../../api/fields.ts'
import { type ApiRecord, type IncludedObject, nameOf, recordsKey } from '../../api/records.ts'
import { useSlug } from '../../api/workspace.ts'
import { Input } from '../../components/controls.tsx'
import { fromLocalInput } from '../../format/moments.ts'
import { FormDialog, FormField } from '../../forms/form.tsx'
import { useSave } from '../../forms/save.ts'
import { DUE_DATE } from '../../properties/task-state.ts'

/** Asks what is next for a deal. The new task has the assignees and links of the one before. */
export function NextTaskDialog(props: { task: ApiRecord; deal: IncludedObject; onClose(): void }) {
  const { task, deal, onClose } = props
  const slug = useSlug()
  const hasDate = useFields('tasks').some(({ code }) => code === DUE_DATE)
  const save = useSave((body: object) => call('POST', `/w/${slug}/v1/tasks`, { body }), {
    reload: [recordsKey(slug, 'tasks'), [slug, 'summaries']],
    next: onClose,
    message: 'Added the next task',
  })
  const add = (typed: (name: string) => string) => {
    const due = typed('due')
    save.mutate({
      title: typed('title'),
      company_ids: idsIn(task, 'companies'),
      people_ids: idsIn(task, 'people'),
      opportunity_ids: idsIn(task, 'opportunities'),
      assignee_ids: idsIn(task, 'assignees'),
      ...(due !== '' && { custom_fields: { [DUE_DATE]: fromLocalInput(due) } }),
    })
  }
  return (
    <FormDialog
      title="What is next?"
      description={`“${nameOf(task)}” was the last open task of ${nameOf(deal)}.`}
      saving={save}
      action="Add task"
      busy="Adding…"
      onSubmit={add}
      onClose={onClose}
    >
      <FormField label="Title" name="title">
        <Input dir="auto" required maxLength={255} autoComplete="off" />
      </FormField>
      {hasDate && (
        <FormField label="Due" name="due" hint="Assignees and links are those of the completed task.">
          <Input type="datetime-local" />
        </FormField>
      )}
    </FormDialog>
  )
}

function idsIn({ relationships }: ApiRecord, relation: string): string[] {
  const data = relationships?.[relation]?.data
  return Array.isArray(data) ? data.map(({ id }) => id) : []
}
