{{- define "karat.name" -}}
{{- $name := contains "karat" .Release.Name | ternary .Release.Name (printf "%s-karat" .Release.Name) -}}
{{- $name | trunc 40 | trimSuffix "-" -}}
{{- end }}

{{- define "karat.selector" -}}
app.kubernetes.io/name: karat
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .part }}
{{- end }}

{{- define "karat.labels" -}}
{{ include "karat.selector" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version }}
{{- end }}

{{- define "karat.image" -}}
{{- $image := .Values.image -}}
{{- printf "%s:%s" $image.repository $image.tag -}}
{{- if $image.digest }}@{{ $image.digest }}{{ end -}}
{{- end }}

{{- define "karat.secret" -}}
{{- required "Name a Secret with the passwords: --set secret=NAME. values.yaml lists its keys." .Values.secret -}}
{{- end }}

{{/* A variable from a key of the secret: name, key, root. */}}
{{- define "karat.fromSecret" -}}
- name: {{ .name }}
  valueFrom: {secretKeyRef: {name: {{ include "karat.secret" .root | quote }}, key: {{ .key }}}}
{{- end }}

{{- define "karat.secure" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: {drop: [ALL]}
{{- end }}

{{/* Where the broker and the database are: of the service, which owns no table. */}}
{{- define "karat.services" -}}
{{- if .Values.database.external }}
{{ include "karat.fromSecret" (dict "name" "DATABASE_URL" "key" "service-database-url" "root" .) }}
{{- else }}
{{ include "karat.fromSecret" (dict "name" "KARAT_SERVICE_PASSWORD" "key" "service-password" "root" .) }}
- name: DATABASE_URL
  value: postgresql://karat_service:$(KARAT_SERVICE_PASSWORD)@{{ include "karat.name" . }}-postgres:5432/karat
{{- end }}
{{- if .Values.redis.external }}
{{ include "karat.fromSecret" (dict "name" "REDIS_URL" "key" "redis-url" "root" .) }}
{{- else }}
{{ include "karat.fromSecret" (dict "name" "KARAT_REDIS_PASSWORD" "key" "redis-password" "root" .) }}
- name: REDIS_URL
  value: redis://:$(KARAT_REDIS_PASSWORD)@{{ include "karat.name" . }}-redis:6379/0
{{- end }}
{{- end }}

{{- define "karat.environment" -}}
{{ include "karat.services" . }}
- {name: KARAT_DATA_DIR, value: /data}
- {name: KARAT_LOG_FORMAT, value: json}
- {name: HF_HOME, value: /data/cache/huggingface}
- {name: TORCH_HOME, value: /data/cache/torch}
{{- with .Values.buckets }}
{{- if .importLocations }}
- {name: KARAT_IMPORT_LOCATIONS, value: {{ .importLocations | quote }}}
{{- end }}
{{- if .storageUrl }}
- {name: KARAT_STORAGE_URL, value: {{ .storageUrl | quote }}}
{{- end }}
{{- if .endpoint }}
- {name: KARAT_S3_ENDPOINT, value: {{ .endpoint | quote }}}
{{- end }}
{{- if .publicEndpoint }}
- {name: KARAT_S3_PUBLIC_ENDPOINT, value: {{ .publicEndpoint | quote }}}
{{- end }}
{{- if .region }}
- {name: KARAT_S3_REGION, value: {{ .region | quote }}}
{{- end }}
{{- end }}
{{- range $name, $value := .Values.settings }}
{{- /* A file of values has its numbers as fractions, which letters would give a power of ten. */}}
- {name: {{ $name }}, value: {{ kindIs "string" $value | ternary $value (toJson $value) | quote }}}
{{- end }}
{{- end }}

{{/* The keys of the buckets, for those alone that open them. */}}
{{- define "karat.bucketKeys" -}}
{{- if .Values.buckets.credentials -}}
{{ include "karat.fromSecret" (dict "name" "AWS_ACCESS_KEY_ID" "key" "s3-access-key" "root" .) }}
{{ include "karat.fromSecret" (dict "name" "AWS_SECRET_ACCESS_KEY" "key" "s3-secret-key" "root" .) }}
{{- end }}
{{- end }}

{{/* What every pod of ours begins with: root, and whether it opens buckets, by the role of its account. */}}
{{- define "karat.pod" -}}
serviceAccountName: {{ include "karat.name" .root }}{{ if not .buckets }}-plain{{ end }}
automountServiceAccountToken: false
enableServiceLinks: false
{{- with .root.Values.image.pullSecrets }}
imagePullSecrets:
{{- range . }}
  - name: {{ . }}
{{- end }}
{{- end }}
securityContext:
  runAsNonRoot: true
  runAsUser: 10001
  runAsGroup: 10001
  fsGroup: 10001
  fsGroupChangePolicy: OnRootMismatch
  seccompProfile: {type: RuntimeDefault}
{{- end }}

{{/* Waits for the migration, as services of docker-compose.yml do. */}}
{{- define "karat.wait" -}}
initContainers:
  - name: wait-for-schema
    image: {{ include "karat.image" . }}
    imagePullPolicy: {{ .Values.image.pullPolicy }}
    command: ["sh", "-c", "until python -m migrations.ready; do sleep 3; done"]
    env:
      {{- include "karat.services" . | trim | nindent 6 }}
    securityContext:
      {{- include "karat.secure" . | nindent 6 }}
    resources: {requests: {cpu: 50m, memory: 128Mi}, limits: {memory: 512Mi}}
    volumeMounts: [{name: tmp, mountPath: /tmp}]
{{- end }}

{{- define "karat.volumes" -}}
- name: tmp
  emptyDir: {}
{{- if .data }}
- name: data
  persistentVolumeClaim: {claimName: {{ .root.Values.data.existingClaim | default (printf "%s-data" (include "karat.name" .root)) }}}
{{- end }}
{{- end }}
