/* SPDX-License-Identifier: MIT
 *
 * otfput.c - begin and end of an event -> records of OTF2
 *
 * In:  events, from otflanes.c, in the order of the records of a location
 * Out: Enter, IoOperationBegin … IoOperationComplete, what became of handles,
 *      Leave
 */
#include "config.h"

#ifdef HAVE_OTF2

#include "analyze/export/otfput.h"

#include <string.h>

void otfput_wrote (struct otfput *o, OTF2_ErrorCode rc)
{
    if (o->failed == OTF2_SUCCESS)
        o->failed = rc;
}

/* A number of a definition; -1 is remembered. */
static uint32_t otfput_ref (struct otfput *o, int64_t ref)
{
    o->short_of_memory |= ref < 0;
    return ref < 0 ? 0 : (uint32_t)ref;
}

/* --- attributes ----------------------------------------------------------- */

static OTF2_AttributeList *otfput_list (struct otfput *o)
{
    return OTF2_AttributeList_GetNumberOfElements (o->list) ? o->list : NULL;
}

static void otfput_text (struct otfput *o, uint32_t attribute, uint32_t name)
{
    const struct dict_entry *e = dict_entry (o->defs->dict, name);
    uint32_t text = otfput_ref (o, otfdefs_string (o->defs, e ? e->text : ""));

    otfput_wrote (o,
                  OTF2_AttributeList_AddStringRef (o->list, attribute, text));
}

static void otfput_arg (struct otfput *o, const struct batch_arg *a)
{
    const struct dict_entry *key = dict_entry (o->defs->dict, a->key);
    OTF2_Type type = a->type == EVENT_ARG_INT      ? OTF2_TYPE_INT64
                     : a->type == EVENT_ARG_DOUBLE ? OTF2_TYPE_DOUBLE
                                                   : OTF2_TYPE_STRING;
    uint32_t attribute =
        otfput_ref (o, otfdefs_attribute (o->defs, key ? key->text : "", type));

    if (OTF2_AttributeList_TestAttributeByID (o->list, attribute))
        return; /* a key twice: the first one counts */
    if (type == OTF2_TYPE_INT64)
        otfput_wrote (o,
                      OTF2_AttributeList_AddInt64 (o->list, attribute, a->i));
    else if (type == OTF2_TYPE_DOUBLE)
        otfput_wrote (o,
                      OTF2_AttributeList_AddDouble (o->list, attribute, a->d));
    else
        otfput_text (o, attribute, a->text);
}

static void otfput_int (struct otfput *o, const char *name, int64_t value)
{
    uint32_t attribute =
        otfput_ref (o, otfdefs_attribute (o->defs, name, OTF2_TYPE_INT64));

    otfput_wrote (o, OTF2_AttributeList_AddInt64 (o->list, attribute, value));
}

/* Where an operation works: offset in the file, object of the file (a dataset,
 * a variable). */
static void otfput_place (struct otfput *o, const struct otfevent *e)
{
    const struct call_info *info = &call_table[e->call];

    if (info->fields & F_OFFSET && e->offset >= 0)
        otfput_int (o, "offset", e->offset);
    if (info->category >= CALL_CATEGORY_HDF5 && e->name2)
        otfput_text (o,
                     otfput_ref (o, otfdefs_attribute (o->defs, "object",
                                                       OTF2_TYPE_STRING)),
                     e->name2);
}

/* --- records -------------------------------------------------------------- */

static void otfput_op (struct otfput *o,
                       OTF2_EvtWriter *writer,
                       const struct otfevent *e,
                       struct otfop *op)
{
    op->id = ++o->op_id;
    otfput_wrote (o, OTF2_AttributeList_RemoveAllAttributes (o->list));
    otfput_place (o, e);
    otfput_wrote (o, OTF2_EvtWriter_IoOperationBegin (
                         writer, otfput_list (o), e->start, op->handle,
                         op->mode, op->flags, op->asked, op->id));
    if (op->flags & OTF2_IO_OPERATION_FLAG_NON_BLOCKING)
        otfput_wrote (o, OTF2_EvtWriter_IoOperationIssued (
                             writer, NULL, e->start, op->handle, op->id));
}

void otfput_begin (struct otfput *o,
                   OTF2_EvtWriter *writer,
                   size_t process,
                   const struct otfevent *e,
                   int region,
                   struct otfopen *open)
{
    struct otfdefs *d = o->defs;

    memset (open, 0, sizeof (*open));
    open->end = e->end;
    open->error = e->error;
    if (e->start < d->first)
        d->first = e->start;
    if (e->end > d->last)
        d->last = e->end;
    if (region) {
        open->region = otfput_ref (o, otfdefs_region (d, e->call, e->name));
        otfput_wrote (o, OTF2_AttributeList_RemoveAllAttributes (o->list));
        for (unsigned i = 0; i < e->args; i++)
            otfput_arg (o, &e->arg[i]);
        otfput_wrote (o, OTF2_EvtWriter_Enter (writer, otfput_list (o),
                                               e->start, open->region));
    }
    open->ops = otfio_ops (d, process, e, open->op);
    o->short_of_memory |=
        open->ops < 0 || otfio_done (d, process, e, &open->done) < 0;
    for (int i = 0; i < open->ops; i++)
        otfput_op (o, writer, e, &open->op[i]);
}

static void otfput_done (struct otfput *o,
                         OTF2_EvtWriter *writer,
                         uint64_t time,
                         const struct otfdone *done)
{
    switch (done->act) {
    case OTFACT_CREATE:
        otfput_wrote (o, OTF2_EvtWriter_IoCreateHandle (
                             writer, NULL, time, done->handle, done->mode,
                             done->creation, done->status));
        break;
    case OTFACT_DESTROY:
        otfput_wrote (o, OTF2_EvtWriter_IoDestroyHandle (writer, NULL, time,
                                                         done->handle));
        break;
    case OTFACT_DUPLICATE:
        otfput_wrote (o, OTF2_EvtWriter_IoDuplicateHandle (
                             writer, NULL, time, done->handle, done->other,
                             OTF2_IO_STATUS_FLAG_NONE));
        break;
    case OTFACT_SEEK:
        otfput_wrote (
            o, OTF2_EvtWriter_IoSeek (writer, NULL, time, done->handle,
                                      (int64_t)done->offset,
                                      OTF2_IO_SEEK_FROM_START, done->offset));
        break;
    case OTFACT_DELETE:
        otfput_wrote (o, OTF2_EvtWriter_IoDeleteFile (
                             writer, NULL, time, done->handle, done->other));
        break;
    case OTFACT_LATER:
    case OTFACT_NONE:
        break;
    }
}

void otfput_end (struct otfput *o,
                 OTF2_EvtWriter *writer,
                 const struct otfopen *open,
                 int region)
{
    for (int i = open->ops; i-- > 0;)
        otfput_wrote (o, OTF2_EvtWriter_IoOperationComplete (
                             writer, NULL, open->end, open->op[i].handle,
                             open->op[i].moved, open->op[i].id));
    otfput_done (o, writer, open->end, &open->done);
    if (!region)
        return;
    otfput_wrote (o, OTF2_AttributeList_RemoveAllAttributes (o->list));
    if (open->error)
        otfput_int (o, "errno", open->error);
    otfput_wrote (o, OTF2_EvtWriter_Leave (writer, otfput_list (o), open->end,
                                           open->region));
}

#endif
