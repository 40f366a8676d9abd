import { type FormEvent, type ReactNode, useState } from 'react';
import { sentence } from '#web/explain.ts';
import { isBlank } from '#wire/blank.ts';
import type { UpdatePicture } from '#features/updates/contract.ts';
import { NotSaved } from '#ui/Banner.tsx';
import { Button } from '#ui/Button.tsx';
import { Card } from '#ui/Card.tsx';
import { Field } from '#ui/Field.tsx';
import { TextArea } from '#ui/TextArea.tsx';
import { UpdatePictures } from './UpdatePictures.tsx';
import { t } from '#features/updates/messages.ts';
import type { Elements } from '#ui/elements.ts';

export interface UpdateDraft {
  content: string;
  pictures: UpdatePicture[];
}

export const namesOf = (pictures: readonly UpdatePicture[]): string[] => pictures.map(({ name }) => name);

export interface UpdateFormProps {
  club: string;
  draft: UpdateDraft;
  /** A function gets the latest draft, because the user may have edited it during an upload. */
  onChange: (change: Partial<UpdateDraft> | ((latest: UpdateDraft) => Partial<UpdateDraft>)) => void;
  hint?: ReactNode;
  disabled?: boolean;
  submitLabel: string;
  /** What submitting does besides saving. */
  submitHint?: string | false;
  busyLabel: string;
  busy: boolean;
  /** The title of the notice about a failure. */
  notSaved: string;
  failure: Error | null;
  /** Shown before the notice about a failure. */
  children?: Elements;
  onSubmit: () => void;
}

/** A form for the text and the pictures of an update. Leaves validation to the server. */
export function UpdateForm({
  club,
  draft,
  onChange,
  disabled = false,
  children,
  onSubmit,
  ...rest
}: UpdateFormProps) {
  const { hint, submitLabel, submitHint, busyLabel, busy, notSaved, failure } = rest;
  const [isUploading, setIsUploading] = useState(false);
  const [wasEmpty, setWasEmpty] = useState(false);
  const isEmpty = isBlank(draft.content);
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    setWasEmpty(isEmpty);
    if (isEmpty) event.currentTarget.querySelector('textarea')?.focus();
    onSubmit();
  };
  return (
    <Card asChild>
      <form onSubmit={submit} noValidate className="flex flex-col gap-5">
        <Field label={t('content')} hint={hint} error={wasEmpty && isEmpty && t('contentMissing')}>
          <TextArea
            rows={8}
            value={draft.content}
            maxLength={5000}
            disabled={disabled}
            onChange={({ target }) => onChange({ content: target.value })}
          />
        </Field>
        {!disabled && (
          <UpdatePictures
            club={club}
            pictures={draft.pictures}
            onChange={(next) => onChange(({ pictures }) => ({ pictures: next(pictures) }))}
            onUploading={setIsUploading}
          />
        )}
        {children}
        <NotSaved title={notSaved} reason={failure && !wasEmpty ? sentence(failure) : null} />
        <div className="flex flex-wrap items-center justify-end gap-x-4 gap-y-2">
          {submitHint && <p className="text-sm text-muted">{submitHint}</p>}
          <Button
            type="submit"
            className="w-full sm:w-auto"
            disabled={disabled}
            busy={busy || isUploading}
            busyLabel={isUploading ? t('uploading') : busyLabel}
          >
            {submitLabel}
          </Button>
        </div>
      </form>
    </Card>
  );
}
