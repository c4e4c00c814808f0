/* SPDX-License-Identifier: BSD-3-Clause */
/* Material: formulas, and δ/β beside the tables of xraydb 4.5.8 (Elam, Ravel, Sieber, Radiat. Phys. Chem. 63, 121
 * (2002); Chantler), far from absorption edges. */
#include "input_parts.h"
#include "testing.h"

#include <math.h>

static void formulas_are_sums(void **state)
{
    (void)state;
    static const struct {
        const char *formula;
        double electrons, mass;
    } row[] = {{"C", 6, 12.011},
               {"Co", 27, 58.933},
               {"CO", 14, 28.010},
               {"H2O", 10, 18.015},
               {"Ca10(PO4)6(OH)2", 500, 1004.608},
               {"Fe0.7Ni0.3", 26.6, 56.6994},
               {"((U))2", 184, 476.06}};
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        double electrons, mass;
        assert_success(sino_material_formula(row[i].formula, &electrons, &mass));
        assert_true(fabs(electrons - row[i].electrons) < 1e-9 * electrons);
        assert_true(fabs(mass - row[i].mass) < 1e-4 * mass);
    }
}

static void what_is_no_formula_is_refused(void **state)
{
    (void)state;
    static const char *const text[] = {"",
                                       "h2o",
                                       "H2O)",
                                       "(H2O",
                                       "H0",
                                       "H-1",
                                       "Tc",
                                       "Xx",
                                       "H 2",
                                       "2H",
                                       "H1.2.3",
                                       "()",
                                       "H1e3",
                                       "((((((((((C))))))))))",
                                       "C99999999999999999999999999"};
    for (size_t i = 0; i < sizeof text / sizeof *text; i++) {
        double electrons = -1, mass = -1;
        SinoStatus status = sino_material_formula(text[i], &electrons, &mass);
        if (!status) fail_msg("'%s' has %g electrons", text[i], electrons);
        assert_int_equal(sino_status_exit_code(status), SINO_BAD_INPUT);
        assert_true(electrons == -1 && mass == -1);
        sino_status_free(status);
    }
}

static void delta_beta_is_that_of_tables(void **state)
{
    (void)state;
    static const struct {
        const char *formula;
        double density, attenuation, energy_kev, delta_beta;
    } row[] = {{"SiO2", 2.2, 4.7344, 20, 489.29},
               {"H2O", 1, 1.303, 15, 1196.5},
               {"CaCO3", 2.71, 1.7215, 40, 827.85},
               {"Al", 2.699, 2.31083, 30, 790.33},
               {"Ca10(PO4)6(OH)2", 3.16, 5.62982, 30, 392.67}};
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        double found;
        assert_success(
            sino_material_delta_beta(row[i].formula, row[i].density, row[i].attenuation, row[i].energy_kev, &found));
        if (!(fabs(found / row[i].delta_beta - 1) < 0.005))
            fail_msg("%s: %g, expected %g", row[i].formula, found, row[i].delta_beta);
    }
}

TESTING_SUBJECT(material)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(formulas_are_sums),
        cmocka_unit_test(what_is_no_formula_is_refused),
        cmocka_unit_test(delta_beta_is_that_of_tables),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
