/* SPDX-License-Identifier: BSD-3-Clause */
/* HDF5 attribute: short texts and integers that other programs attach to groups and datasets. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include <hdf5.h>

enum { SINO_HDF5_TEXT = 128 };

/* Reads a text of fixed or variable length. False: `object` has no such attribute, or it is no single text of fewer
 * than SINO_HDF5_TEXT characters; of texts of fixed length the beginning is read. */
bool sino_hdf5_text(hid_t object, const char *name, char text[SINO_HDF5_TEXT]);

/* The same for an attribute that is a text or a list of texts, of which it reads the first one. */
bool sino_hdf5_first_text(hid_t object, const char *name, char text[SINO_HDF5_TEXT]);

/* The same for text number `number` of an attribute that is a list of `count` texts. */
bool sino_hdf5_text_of(hid_t object, const char *name, int64_t count, int64_t number, char text[SINO_HDF5_TEXT]);

/* The same for the value of a dataset: one text, or a list of one. */
bool sino_hdf5_dataset_text(hid_t dataset, char text[SINO_HDF5_TEXT]);

/* Reads `count` integers. False: there is no such attribute, or it holds something else. */
bool sino_hdf5_integers(hid_t object, const char *name, int64_t count, int64_t *values);

/* Reads an attribute that is one number. False: there is none; *value stays. */
bool sino_hdf5_attribute_number(hid_t object, const char *name, double *value);
