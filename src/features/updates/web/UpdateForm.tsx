import { type FormEvent, useState } from 'react';
import { sentence } from '#web/explain.ts';
import { isBlank } from '#wire/blank.ts';
import { NotSaved } from '#ui/Banner.tsx';
import { Button } from '#ui/Button.tsx';
import { Card } from '#ui/Card.tsx';
import { PostFields, type PostFieldsProps } from './PostFields.tsx';
import { t } from '#features/updates/form-messages.ts';
import type { Elements } from '#ui/elements.ts';

export interface UpdateFormProps extends Pick<
  PostFieldsProps,
  'club' | 'draft' | 'onChange' | 'hint' | 'disabled'
> {
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
        <PostFields
          club={club}
          draft={draft}
          onChange={onChange}
          onUploading={setIsUploading}
          maxLength={5000}
          hint={hint}
          error={wasEmpty && isEmpty && t('contentMissing')}
          disabled={disabled}
        />
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
